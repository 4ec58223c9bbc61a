"use strict";
// Instances, drawn large. The classes are those of the small drawings in the page, which are made in Python.
const drawings = (() => {
  const SVG = "http://www.w3.org/2000/svg";
  const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const LARGEST = 4095;
  const COLOURS = 8;
  const MARGIN = 110;
  const DEPOT = 170;
  const MANY_PLACES = 400;
  const MANY_WAYS = 60;

  const svg = (tag, attributes = {}, ...children) => {
    const node = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...children);
    return node;
  };

  // Numbers of two letters each, in pairs.
  const pairs = (letters) => {
    const value = (index) => LETTERS.indexOf(letters[index]) * 64 + LETTERS.indexOf(letters[index + 1]);
    const made = [];
    for (let index = 0; index < letters.length; index += 4) made.push([value(index), value(index + 2)]);
    return made;
  };

  const unpacked = (sketch) => ({
    ...sketch,
    places: pairs(sketch.places),
    marked: sketch.marked || [],
    ways: sketch.ways || [],
    windows: sketch.windows && pairs(sketch.windows),
    visits: sketch.visits && pairs(sketch.visits),
  });

  const line = (places, indices) => `M${indices.map((index) => places[index].join(" ")).join("L")}`;

  const drawn = (sketch, name) => {
    const { places, marked, ways, width, height } = sketch;
    const picture = svg("svg", {
      class: places.length > MANY_PLACES ? "sketch many" : "sketch",
      role: "img",
      "aria-label": `drawing of ${name}`,
      viewBox: `${-MARGIN} ${-MARGIN} ${width + 2 * MARGIN} ${height + 2 * MARGIN}`,
    });
    const isMarked = new Set(marked);
    const labels = [];
    ways.forEach((way, index) => {
      const stops = way.filter((place) => !isMarked.has(place));
      const colour = ways.length > 1 ? ` c${index % COLOURS}` : "";
      const parts = [];
      if (stops.length < way.length && stops.length > 0) {
        const ends = [[way[0], stops[0]], [stops[stops.length - 1], way[way.length - 1]]];
        parts.push(svg("path", { class: `leg${colour}`, d: ends.map((end) => line(places, end)).join("") }));
        parts.push(svg("path", { class: `way${colour}`, d: line(places, stops) }));
        labels.push([farthest(places, stops, places[way[0]]), index + 1]);
      } else {
        parts.push(svg("path", { class: `way${colour}`, d: line(places, way) }));
      }
      const says = `way ${index + 1}: ${stops.length} places`;
      const several = ways.length > 1;
      picture.append(...(several ? [svg("g", { class: "mark", tabindex: "-1", "data-tip": says }, ...parts)] : parts));
    });
    picture.append(svg("path", { class: "places", d: places.map(([x, y]) => `M${x} ${y}h0`).join("") }));
    for (const place of marked) {
      const [x, y] = places[place];
      picture.append(svg("rect", { class: "depot", x: x - DEPOT / 2, y: y - DEPOT / 2, width: DEPOT, height: DEPOT }));
    }
    if (labels.length <= MANY_WAYS) {
      for (const [[x, y], text] of labels) picture.append(svg("text", { x, y: y - 45 }, String(text)));
    }
    return picture;
  };

  const farthest = (places, stops, from) => {
    const distance = (place) => Math.hypot(places[place][0] - from[0], places[place][1] - from[1]);
    return places[stops.reduce((best, place) => (distance(place) > distance(best) ? place : best))];
  };

  // A line for every place: its window, and when it is attended to.
  const days = (sketch) => {
    const { places, marked, ways, windows, visits, begin, end } = sketch;
    const isMarked = new Set(marked);
    const free = places.map((_, index) => index).filter((index) => !isMarked.has(index));
    const groups = ways.length > 0
      ? ways.map((way) => way.filter((place) => !isMarked.has(place)))
      : [free.sort((one, other) => windows[one][0] - windows[other][0])];
    const count = groups.reduce((sum, group) => sum + group.length, 0);
    const row = count <= 60 ? 9 : count <= 200 ? 6 : 3;
    const [left, right, top] = [34, 990, 22];
    const at = (time) => (left + (time / LARGEST) * (right - left)).toFixed(1);
    const picture = svg("svg", {
      class: "windows",
      role: "img",
      "aria-label": `time windows of ${count} places`,
      viewBox: `0 0 1000 ${top + count * row + 6}`,
    });
    for (const tick of ticks(begin, end)) {
      const x = at(((tick - begin) / (end - begin)) * LARGEST);
      picture.append(svg("path", { class: "grid", d: `M${x} ${top}V${top + count * row}` }));
      picture.append(svg("text", { x, y: 14, "text-anchor": "middle" }, String(tick)));
    }
    let y = top + row / 2;
    let labelled = 0;
    groups.forEach((group, index) => {
      const colour = ways.length > 1 ? ` c${index % COLOURS}` : "";
      const open = [];
      const attended = [];
      if (ways.length > 1 && group.length > 0 && y - labelled >= 12) {
        picture.append(svg("text", { x: left - 6, y: y + 4, "text-anchor": "end" }, String(index + 1)));
        labelled = y;
      }
      for (const place of group) {
        const [from, until] = windows[place];
        open.push(`M${at(from)} ${y}H${at(Math.max(until, from + 4))}`);
        if (visits && visits[place][0] <= visits[place][1]) {
          attended.push(`M${at(visits[place][0])} ${y}H${at(visits[place][1] + 6)}`);
        }
        y += row;
      }
      const wide = { "stroke-width": row - 1 };
      if (open.length > 0) picture.append(svg("path", { class: `window${colour}`, d: open.join(""), ...wide }));
      if (attended.length > 0) picture.append(svg("path", { class: `visit${colour}`, d: attended.join(""), ...wide }));
    });
    return picture;
  };

  const ticks = (begin, end) => {
    const least = (end - begin) / 7;
    if (!(least > 0)) return [];
    const power = 10 ** Math.floor(Math.log10(least));
    const step = [1, 2, 5, 10].find((digit) => digit * power >= least) * power;
    const made = [];
    for (let tick = Math.ceil(begin / step) * step; tick <= end; tick += step) made.push(Number(tick.toPrecision(12)));
    return made;
  };

  return { unpacked, drawn, days };
})();

"use strict";
// What the page does: tooltips, the arrow keys in charts, legends that bring a series out, instances that open, and, when
// it is live, renewing itself. Everything is listened for on the document, so that what is renewed needs no new listeners.
// Texts go into the page as text, never as markup.
(() => {
  const ASK_EVERY = 3000;

  const tip = document.getElementById("tip");
  const dialog = document.getElementById("instance");
  let known = null;
  let opener = null;
  let pointed = null;

  const html = (tag, attributes = {}, ...children) => {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...children);
    return node;
  };

  // Marks: one of each chart can be reached by Tab, the others from there by the arrow keys.

  const marksOf = (mark) => [...mark.closest("svg").querySelectorAll(".mark")];

  const prepare = (root) => {
    for (const chart of root.querySelectorAll("svg")) {
      const marks = chart.querySelectorAll(".mark");
      if (marks.length === 0) continue;
      // A picture has no parts for those who listen to it; a group has.
      chart.setAttribute("role", "group");
      chart.setAttribute("aria-roledescription", "chart");
      for (const mark of marks) {
        mark.setAttribute("role", mark.dataset.opens ? "button" : "img");
        mark.setAttribute("aria-label", mark.dataset.tip);
      }
      marks[0].setAttribute("tabindex", "0");
    }
  };

  const reach = (mark) => {
    for (const other of marksOf(mark)) other.setAttribute("tabindex", other === mark ? "0" : "-1");
    mark.focus();
  };

  const middle = (mark) => {
    const box = mark.getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  };

  // The nearest mark above or below.
  const beside = (mark, marks, direction) => {
    const [x, y] = middle(mark);
    let best = null;
    let least = Infinity;
    for (const other of marks) {
      const [otherX, otherY] = middle(other);
      const down = direction * (otherY - y);
      const distance = down + 2 * Math.abs(otherX - x);
      if (down > 1 && distance < least) [best, least] = [other, distance];
    }
    return best;
  };

  const neighbour = (mark, key) => {
    const marks = marksOf(mark);
    const here = marks.indexOf(mark);
    switch (key) {
      case "ArrowRight": return marks[here + 1];
      case "ArrowLeft": return marks[here - 1];
      case "ArrowDown": return beside(mark, marks, 1);
      case "ArrowUp": return beside(mark, marks, -1);
      case "Home": return marks[0];
      case "End": return marks[marks.length - 1];
      default: return undefined;
    }
  };

  const hideTip = () => {
    tip.hidden = true;
    pointed = null;
  };

  const showTip = (mark) => {
    // Only what is in the topmost layer is seen above an open dialog.
    (mark.closest("dialog") || document.body).append(tip);
    tip.textContent = mark.dataset.tip;
    tip.hidden = false;
    pointed = mark;
    placeTip();
  };

  const placeTip = () => {
    if (pointed === null) return;
    const around = pointed.getBoundingClientRect();
    const own = tip.getBoundingClientRect();
    const left = around.x + around.width / 2 - own.width / 2;
    const above = around.y - own.height - 8;
    tip.style.left = `${Math.max(8, Math.min(left, innerWidth - own.width - 8))}px`;
    tip.style.top = `${above >= 8 ? above : Math.min(around.bottom + 8, innerHeight - own.height - 8)}px`;
  };

  const bringOut = (key) => {
    const pressed = key.getAttribute("aria-pressed") !== "true";
    const figure = key.closest("figure");
    for (const other of figure.querySelectorAll("button.key")) {
      other.setAttribute("aria-pressed", String(pressed && other === key));
    }
    for (const part of figure.querySelectorAll(".plot [data-series]")) {
      part.classList.toggle("faint", pressed && part.dataset.series !== key.dataset.series);
    }
  };

  // Instances.

  const instances = () => {
    if (known === null) {
      const list = JSON.parse(document.getElementById("data").textContent);
      known = new Map(list.map((each) => [each.id, each]));
    }
    return known;
  };

  const open = (id, from) => {
    const instance = instances().get(id);
    if (!instance) return;
    hideTip();
    dialog.replaceChildren(...shown(instance));
    prepare(dialog);
    if (!dialog.open) {
      opener = from;
      dialog.showModal();
    }
    dialog.scrollTop = 0;
    dialog.querySelector("h2").focus();
  };

  const shown = (instance) => {
    const close = html("button", { type: "button", class: "close" }, "Close");
    const top = html("div", { class: "top" }, html("h2", { id: "instance-name", tabindex: "-1" }, instance.name), close);
    const facts = html("dl");
    for (const [name, value] of instance.facts) facts.append(html("dt", {}, name), html("dd", {}, value));
    const parent = instances().get(instance.parent);
    if (parent) facts.append(html("dt", {}, "bred from"), html("dd", {}, button(parent)));
    const children = [...instances().values()].filter((each) => each.parent === instance.id);
    if (children.length > 0) {
      facts.append(html("dt", {}, "children"), ...children.map((each) => html("dd", {}, button(each))));
    }
    if (instance.features.length > 0) {
      const rows = instance.features.map(([name, value]) =>
        html("tr", {}, html("td", {}, name), html("td", { class: "number" }, value)));
      const table = html("table", {}, html("tbody", {}, ...rows));
      facts.append(html("dt", {}, "features"), html("dd", {}, html("div", { class: "scroll" }, table)));
    }
    if (!instance.sketch) {
      const why = html("p", {}, "There is no drawing of this instance in the page.");
      return [top, html("div", { class: "parts" }, why, facts)];
    }
    const sketch = drawings.unpacked(instance.sketch);
    const parts = [top, html("div", { class: "parts" }, drawings.drawn(sketch, instance.name), facts)];
    if (sketch.windows) {
      const says = sketch.visits
        ? "When places are open (pale), and when they are attended to (full), way by way."
        : "When places are open.";
      parts.push(html("h3", {}, "Time windows"), html("p", {}, says), html("div", { class: "wide" }, drawings.days(sketch)));
    }
    return parts;
  };

  const button = (instance) =>
    html("button", { type: "button", class: "opens", "data-opens": instance.id }, instance.name);

  // What people do.

  const markAt = (event) => (event.target instanceof Element ? event.target.closest(".mark") : null);

  document.addEventListener("pointerover", (event) => {
    const mark = markAt(event);
    if (mark) showTip(mark);
  });
  document.addEventListener("pointerout", (event) => {
    if (markAt(event)) hideTip();
  });
  document.addEventListener("focusin", (event) => {
    const mark = markAt(event);
    if (mark) showTip(mark);
  });
  document.addEventListener("focusout", hideTip);
  document.addEventListener("scroll", placeTip, { passive: true, capture: true });
  document.addEventListener("click", (event) => {
    const mark = markAt(event);
    const opens = event.target.closest("[data-opens]");
    const key = event.target.closest("button.key");
    if (mark) reach(mark);
    if (opens) open(opens.dataset.opens, opens);
    if (key) bringOut(key);
    if (event.target === dialog || event.target.closest(".close")) dialog.close();
  });
  document.addEventListener("keydown", (event) => {
    const mark = markAt(event);
    if (event.key === "Escape") hideTip();
    if (!mark || event.ctrlKey || event.metaKey || event.altKey) return;
    const next = neighbour(mark, event.key);
    if (next) reach(next);
    const opens = (event.key === "Enter" || event.key === " ") && mark.dataset.opens;
    if (opens) open(opens, mark);
    if (next !== undefined || opens) event.preventDefault();
  });
  dialog.addEventListener("close", () => {
    document.body.append(tip);
    if (opener && opener.isConnected) opener.focus();
    opener = null;
  });

  // A live page.

  const focusOf = () => {
    const active = document.activeElement;
    const figure = active && active.closest("figure");
    if (active && active.id) return () => document.getElementById(active.id);
    if (figure && active.matches(".mark")) {
      const index = marksOf(active).indexOf(active);
      return () => document.querySelectorAll(`#${CSS.escape(figure.id)} .mark`)[index];
    }
    const parent = active && active.closest("[id]");
    if (!parent || parent === document.documentElement) return () => null;
    const index = [...parent.querySelectorAll("a, button, summary")].indexOf(active);
    return () => document.querySelectorAll(`#${CSS.escape(parent.id)} :is(a, button, summary)`)[index];
  };

  const renew = async () => {
    const text = await (await fetch("/", { cache: "no-store" })).text();
    const fresh = new DOMParser().parseFromString(text, "text/html");
    const unfolded = new Map([...document.querySelectorAll("details[id]")].map((each) => [each.id, each.open]));
    const focused = focusOf();
    const [across, down] = [scrollX, scrollY];
    hideTip();
    for (const part of ["nav", "main"]) {
      document.querySelector(part).replaceWith(document.importNode(fresh.querySelector(part), true));
    }
    for (const part of ["h1", ".kind"]) {
      document.querySelector(part).textContent = fresh.querySelector(part).textContent;
    }
    document.getElementById("live").dataset.state = fresh.getElementById("live").dataset.state;
    known = null;
    document.title = fresh.title;
    for (const each of document.querySelectorAll("details[id]")) {
      if (unfolded.has(each.id)) each.open = unfolded.get(each.id);
    }
    prepare(document);
    scrollTo({ left: across, top: down, behavior: "instant" });
    const again = focused();
    if (again) again.focus({ preventScroll: true });
    document.documentElement.dataset.live = fresh.documentElement.dataset.live;
  };

  const watch = async () => {
    const status = document.getElementById("live");
    try {
      if (!document.hidden && !dialog.open) {
        const version = await (await fetch("/version", { cache: "no-store" })).text();
        if (version !== document.documentElement.dataset.live) {
          await renew();
          status.textContent = `${status.dataset.state}, renewed at ${new Date().toLocaleTimeString()}`;
        } else if (status.classList.contains("lost")) {
          status.textContent = status.dataset.state;
        }
        status.classList.remove("lost");
      }
    } catch {
      status.textContent = "The server has ended: this page shows what it knew last.";
      status.classList.add("lost");
    }
    setTimeout(watch, ASK_EVERY);
  };

  prepare(document);
  if (document.documentElement.dataset.live) setTimeout(watch, ASK_EVERY);
})();

// Makes the boxes of receval.play.implicator_maps live: draws their maps and cuts, and moves the
// point by mouse, finger or slider. A box holds its tables of values, so no kernel is needed.
(() => {
  const MAP = 200; // side of a map and of the cut, in pixels of the page
  const MARGIN = { left: 44, top: 28, right: 14, bottom: 42 };
  const CELL = MAP + MARGIN.left + MARGIN.right;
  const BAR = { width: 240, height: 12, space: 44 };
  const SVG = "http://www.w3.org/2000/svg";

  /** Add an SVG element with attributes, and perhaps text, to a parent; return the element. */
  function add(parent, tag, attributes, text = "") {
    const element = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.textContent = text;
    parent.append(element);
    return element;
  }

  /** Return red, green and blue of a truth in [0, 1], between the colours of the scale. */
  function colourOf(truth, scale) {
    const place = truth * (scale.length - 1);
    const below = Math.min(Math.floor(place), scale.length - 2);
    const share = place - below;
    return scale[below].map((from, i) => from + share * (scale[below + 1][i] - from));
  }

  /** Return a picture as the address of a PNG; colourAt takes a column and a row from above. */
  function picture(width, height, colourAt) {
    const canvas = document.createElement("canvas");
    canvas.width = width;
    canvas.height = height;
    const context = canvas.getContext("2d");
    const image = context.createImageData(width, height);
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        image.data.set([...colourAt(x, y), 255], 4 * (y * width + x));
      }
    }
    context.putImageData(image, 0, 0);
    return canvas.toDataURL();
  }

  /** Draw the frame of a map or of the cut: ticks at 0, 0.5 and 1, a title, names of the axes. */
  function drawFrame(group, title, nameOfY) {
    const frame = { width: MAP, height: MAP, fill: "none", stroke: "currentColor" };
    add(group, "rect", frame);
    add(group, "text", { x: MAP / 2, y: -9, "text-anchor": "middle", "font-size": 14 }, title);
    for (const tick of [0, 0.5, 1]) {
      add(group, "text", { x: tick * MAP, y: MAP + 16, "text-anchor": "middle" }, tick);
      add(group, "text", { x: -6, y: (1 - tick) * MAP + 4, "text-anchor": "end" }, tick);
    }
    add(group, "text", { x: MAP / 2, y: MAP + 32, "text-anchor": "middle" }, "body b");
    const turned = `translate(-32 ${MAP / 2}) rotate(-90)`;
    add(group, "text", { transform: turned, "text-anchor": "middle" }, nameOfY);
  }

  /** Draw the colour bar, centred below the maps. */
  function drawColourBar(svg, centre, scale) {
    const place = `translate(${centre - BAR.width / 2} ${MARGIN.top + MAP + MARGIN.bottom})`;
    const bar = add(svg, "g", { transform: place });
    const href = picture(BAR.width, 1, (x) => colourOf(x / (BAR.width - 1), scale));
    const size = { width: BAR.width, height: BAR.height, preserveAspectRatio: "none" };
    add(bar, "image", { href, ...size });
    for (const tick of [0, 0.5, 1]) {
      add(bar, "text", { x: tick * BAR.width, y: 25, "text-anchor": "middle" }, tick);
    }
    add(bar, "text", { x: BAR.width / 2, y: 40, "text-anchor": "middle" }, "truth of the implication");
  }

  /** Return the path of a cut through a table at a row, with a gap before each jump. */
  function cutPath(table, jumps, row, steps) {
    let path = "";
    for (let column = 0; column <= steps; column++) {
      const place = row * (steps + 1) + column;
      const command = column === 0 || jumps.includes(place) ? "M" : "L";
      path += `${command}${(column / steps) * MAP} ${(1 - table[place] / 1000) * MAP}`;
    }
    return path;
  }

  /** Replace the contents of a box by the live picture, its sliders and its sentence. */
  function start(box) {
    const view = JSON.parse(box.dataset.view);
    const { names, tables, jumps, steps, colours, scale } = view;
    const point = { column: view.column, row: view.row };
    const width = CELL * (names.length + 1);
    const height = MARGIN.top + MAP + MARGIN.bottom + BAR.space;
    box.replaceChildren();
    const sliders = document.createElement("div");
    const sentence = document.createElement("div");
    sentence.setAttribute("aria-live", "polite");
    box.append(sliders, sentence);
    const svg = add(box, "svg", {
      viewBox: `0 0 ${width} ${height}`,
      style: `width: 100%; max-width: ${width}px; touch-action: none; user-select: none`,
      "font-size": 12,
      "font-family": "sans-serif",
      fill: "currentColor",
    });

    /** Add a slider that moves the point along one axis; return its element. */
    function addSlider(label, axis) {
      const slider = document.createElement("input");
      Object.assign(slider, { type: "range", min: 0, max: steps, value: point[axis] });
      slider.dataset.lmSuppressShortcuts = "true"; // arrow keys move cells in JupyterLab
      slider.addEventListener("input", () => moveTo({ ...point, [axis]: Number(slider.value) }));
      const caption = document.createElement("label");
      caption.append(`${label} `, slider, " ");
      sliders.append(caption);
      return slider;
    }
    const sliderOf = { column: addSlider("body b", "column"), row: addSlider("head h", "row") };

    // Maps have the row 0, the head 0, at the bottom.
    const maps = names.map((name, number) => {
      const place = `translate(${number * CELL + MARGIN.left} ${MARGIN.top})`;
      const map = add(svg, "g", { transform: place, class: "receval-map", cursor: "move" });
      const href = picture(steps + 1, steps + 1, (x, y) =>
        colourOf(tables[number][(steps - y) * (steps + 1) + x] / 1000, scale),
      );
      // The centre of an outer pixel lies on the frame, so the picture is half a pixel larger.
      const pixel = MAP / steps;
      const overlap = { x: -pixel / 2, y: -pixel / 2, width: MAP + pixel, height: MAP + pixel };
      const inside = add(map, "svg", { width: MAP, height: MAP });
      add(inside, "image", { href, ...overlap, preserveAspectRatio: "none" });
      drawFrame(map, name, "head h");
      const line = { x1: 0, x2: MAP, stroke: colours[number], "stroke-dasharray": "5 4" };
      const parts = { line: add(map, "line", { ...line, "stroke-width": 1.5 }) };
      parts.dot = add(map, "circle", { r: 6, fill: colours[number], stroke: "white" });
      map.addEventListener("pointerdown", (event) => {
        map.setPointerCapture(event.pointerId);
        follow(event);
        event.preventDefault();
      });
      map.addEventListener("pointermove", (event) => {
        if (map.hasPointerCapture(event.pointerId)) follow(event);
      });

      /** Move the point to the pointer, or to the nearest place on the map. */
      function follow(event) {
        const { a, d, e, f } = map.getScreenCTM();
        const onMap = (place) => Math.round(Math.min(1, Math.max(0, place)) * steps);
        const column = onMap((event.clientX - e) / a / MAP);
        moveTo({ column, row: onMap(1 - (event.clientY - f) / d / MAP) });
      }
      return parts;
    });

    drawColourBar(svg, (names.length * CELL + MARGIN.left) / 2, scale);
    const placeOfCut = `translate(${names.length * CELL + MARGIN.left} ${MARGIN.top})`;
    const cut = add(svg, "g", { transform: placeOfCut });
    drawFrame(cut, "the cut along the dashed line", "truth");
    const cuts = colours.map((colour) => ({
      path: add(cut, "path", { fill: "none", stroke: colour, "stroke-width": 2 }),
      dot: add(cut, "circle", { r: 5, fill: colour, stroke: "white" }),
    }));

    /** Move the point, and redraw everything that depends on it. */
    function moveTo(target) {
      Object.assign(point, target);
      const x = (point.column / steps) * MAP;
      const y = (1 - point.row / steps) * MAP;
      const set = (element, attributes) =>
        Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
      const b = (point.column / steps).toFixed(3);
      const h = (point.row / steps).toFixed(3);
      sliderOf.column.value = point.column;
      sliderOf.row.value = point.row;
      sentence.textContent = `b = ${b}, h = ${h}: `;
      names.forEach((name, number) => {
        const value = tables[number][point.row * (steps + 1) + point.column] / 1000;
        set(maps[number].line, { y1: y, y2: y });
        set(maps[number].dot, { cx: x, cy: y });
        const d = cutPath(tables[number], jumps[number], point.row, steps);
        set(cuts[number].path, { d });
        set(cuts[number].dot, { cx: x, cy: (1 - value) * MAP });
        const bold = document.createElement("b");
        bold.textContent = value.toFixed(3);
        bold.style.color = colours[number];
        sentence.append(number ? ", " : "", `${name} `, bold);
      });
    }
    moveTo(point);
  }

  for (const box of document.querySelectorAll(".receval-implicators:not([data-live])")) {
    box.dataset.live = "yes";
    start(box);
  }
})();

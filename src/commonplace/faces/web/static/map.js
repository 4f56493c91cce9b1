// Draws the map on a canvas. The table beside it has everything that is drawn.

const canvas = document.getElementById("map");
const colours = { contradicts: "--danger", supersedes: "--accent", caused_by: "--accent", similar_to: "--field" };
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function layout(nodes, links, steps) {
  nodes.forEach((node, i) => {
    const angle = i * 2.4;
    const far = 0.05 + 0.02 * Math.sqrt(i) + 0.12 * node.hops;
    node.x = far * Math.cos(angle);
    node.y = far * Math.sin(angle);
  });
  const ideal = 0.9 / Math.sqrt(nodes.length + 1);
  for (let step = 0; step < steps; step++) {
    const heat = 0.08 * (1 - step / steps);
    for (const node of nodes) { node.dx = -node.x * 0.02; node.dy = -node.y * 0.02; }
    for (let i = 0; i < nodes.length; i++) {
      for (let j = i + 1; j < nodes.length; j++) {
        const [a, b] = [nodes[i], nodes[j]];
        const [x, y] = [a.x - b.x, a.y - b.y];
        const push = (ideal * ideal) / (x * x + y * y + 1e-4) * 0.02;
        a.dx += x * push; a.dy += y * push; b.dx -= x * push; b.dy -= y * push;
      }
    }
    for (const [i, j] of links) {
      const [a, b] = [nodes[i], nodes[j]];
      const [x, y] = [b.x - a.x, b.y - a.y];
      const pull = (Math.hypot(x, y) - ideal) * 0.08;
      a.dx += x * pull; a.dy += y * pull; b.dx -= x * pull; b.dy -= y * pull;
    }
    for (const node of nodes) {
      const size = Math.hypot(node.dx, node.dy) || 1;
      const move = Math.min(size, heat);
      node.x += (node.dx / size) * move;
      node.y += (node.dy / size) * move;
    }
  }
}

function draw({ nodes, links }) {
  const [width, height, ratio] = [canvas.clientWidth, canvas.clientHeight, window.devicePixelRatio || 1];
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  const pen = canvas.getContext("2d");
  pen.scale(ratio, ratio);
  const reach = Math.max(...nodes.map((node) => Math.max(Math.abs(node.x), Math.abs(node.y))), 0.1);
  const scale = (Math.min(width, height) / 2 - 36) / reach;
  const place = (node) => [width / 2 + node.x * scale, height / 2 + node.y * scale];
  for (const [i, j, kind] of links) {
    pen.strokeStyle = css(colours[kind] ?? "--field");
    pen.lineWidth = kind === "similar_to" ? 1 : 2;
    pen.beginPath();
    pen.moveTo(...place(nodes[i]));
    pen.lineTo(...place(nodes[j]));
    pen.stroke();
  }
  pen.font = "12px system-ui, sans-serif";
  pen.textAlign = "center";
  for (const node of nodes) {
    const [x, y] = place(node);
    node.at = [x, y];
    pen.fillStyle = css(node.hops ? "--soft" : "--accent");
    pen.beginPath();
    pen.arc(x, y, node.hops ? 5 : 8, 0, 7);
    pen.fill();
    if (nodes.length <= 40) {
      pen.fillStyle = css("--ink");
      const label = node.label.length > 28 ? `${node.label.slice(0, 27)}…` : node.label;
      const half = pen.measureText(label).width / 2 + 4;
      pen.fillText(label, Math.min(Math.max(x, half), width - half), y + 20);
    }
  }
}

const map = await (await fetch(canvas.dataset.source)).json();
layout(map.nodes, map.links, map.nodes.length > 120 ? 120 : 250);
draw(map);
canvas.dataset.drawn = map.nodes.length;
addEventListener("resize", () => draw(map));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => draw(map));
canvas.addEventListener("click", (event) => {
  const near = map.nodes.find((node) => Math.hypot(node.at[0] - event.offsetX, node.at[1] - event.offsetY) < 14);
  if (near) location.href = canvas.dataset.memory.replace("ID", near.id);
});
canvas.addEventListener("mousemove", (event) => {
  const near = map.nodes.find((node) => Math.hypot(node.at[0] - event.offsetX, node.at[1] - event.offsetY) < 14);
  canvas.title = near ? near.label : "";
});

// The timeline of the last seconds: one lane per validator.
import { fillShape, fit, palette } from "./marks.js";

// Later kinds cover earlier ones. Votes are frequent, so they come before proposals and alarms. In each lane, votes lie
// below the line, and proposals on it.
const LAYERS = ["commit", "vote", "tentative", "timeout", "coin", "proposal", "alarm"];
const BELOW = new Set(["vote", "tentative"]);
const SHAPES = { proposal: "square", timeout: "triangle", coin: "diamond" };

export function drawLanes(canvas, { marks, now, members, span }) {
  const colours = palette();
  const [context, width, height] = fit(canvas);
  const left = 22;
  const right = 6;
  const axis = 14; // pixels below the lanes
  const lane = (height - axis) / members;
  const at = (time) => left + (1 - (now - time) / span) * (width - left - right);
  context.font = "10px ui-monospace, monospace";
  context.textBaseline = "middle";
  context.lineWidth = 1;
  for (let member = 0; member < members; member++) {
    const y = (member + 0.5) * lane;
    context.strokeStyle = colours.rule;
    context.beginPath();
    context.moveTo(left, y);
    context.lineTo(width, y);
    context.stroke();
    if (lane >= 10 || member % 5 === 0) {
      context.fillStyle = colours.faint;
      context.fillText(String(member), 2, y);
    }
  }
  context.fillStyle = colours.faint;
  context.fillText(`${span / 1e6} s ago`, left, height - axis / 2);
  context.textAlign = "right";
  context.fillText("now", width - right, height - axis / 2);
  context.textAlign = "left";
  const size = Math.max(1.8, Math.min(4, lane * 0.24));
  const visible = marks.filter(({ at: time }) => time <= now && at(time) >= left);
  for (const kind of LAYERS) {
    for (const mark of visible) {
      if (mark.kind !== kind) continue;
      const x = at(mark.at);
      const y = (mark.member + 0.5) * lane;
      context.fillStyle = colours[kind];
      if (kind === "commit") context.fillRect(x - 0.75, y - size * 1.6, 1.5, size * 3.2);
      else if (BELOW.has(kind)) fillShape(context, "dot", x, y + lane * 0.22, size * 0.75);
      else fillShape(context, SHAPES[kind], x, y, size);
    }
  }
}

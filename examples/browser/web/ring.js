// The ring of validators with messages in flight.
import { TRAFFIC, fillShape, fit, messageMark, palette } from "./marks.js";

const RADIUS = 0.41; // of the ring, as a part of the canvas
const FADE = 40_000; // microseconds for which a lost message is visible
const BUNDLE = 25_000; // microseconds within which the messages of a sender form a bundle
const SPLIT = 0.45; // part of the way that the messages of a bundle share

export function place(member, members) {
  const angle = (member / members) * 2 * Math.PI - Math.PI / 2;
  return [0.5 + RADIUS * Math.cos(angle), 0.5 + RADIUS * Math.sin(angle)];
}

// What each validator has collected: the length of an arc is the fraction of the members. Gosig: signers of P and of TC;
// ABFT: delivered and decrypted proposals.
function drawArcs(context, arcs, { radius, gap, quorum, outerColour, point, colours }) {
  const from = -Math.PI / 2;
  const circle = (x, y, r, part) => {
    context.beginPath();
    context.arc(x, y, r, from, from + 2 * Math.PI * part);
    context.stroke();
  };
  for (const [slot, { inner, outer }] of arcs.entries()) {
    const [x, y] = point(slot);
    for (const [part, colour, r] of [[inner, colours.vote, radius + gap], [outer, colours[outerColour], radius + 2 * gap]]) {
      context.strokeStyle = colours.rule;
      context.lineWidth = 1;
      circle(x, y, r, 1);
      context.strokeStyle = colour;
      context.lineWidth = gap * (part >= quorum ? 0.9 : 0.6);
      circle(x, y, r, Math.min(1, part));
    }
    // The quorum mark.
    const angle = from + 2 * Math.PI * quorum;
    context.strokeStyle = colours.ink;
    context.lineWidth = 1.5;
    context.beginPath();
    const [near, far] = [radius + 0.5 * gap, radius + 2.8 * gap];
    context.moveTo(x + near * Math.cos(angle), y + near * Math.sin(angle));
    context.lineTo(x + far * Math.cos(angle), y + far * Math.sin(angle));
    context.stroke();
  }
}

// Returns a function from a part of the way to a position on a quadratic curve.
const curve = ([x0, y0], [cx, cy], [x1, y1]) => (p) => [(1 - p) ** 2 * x0 + 2 * p * (1 - p) * cx + p * p * x1, (1 - p) ** 2 * y0 + 2 * p * (1 - p) * cy + p * p * y1];

// Messages that are in flight, with their marks and the part of the way that they have covered.
function inFlight({ flights, now, members, protocol, traffic }) {
  const visible = [];
  for (const [sent, arrives, from, to, tag, variant] of flights) {
    const mark = messageMark(protocol, tag, variant, members) ?? (traffic ? TRAFFIC : null);
    const lost = arrives < 0;
    const end = lost ? sent + FADE : arrives;
    if (!mark || now < sent || now > end) continue;
    const part = (now - sent) / Math.max(1, end - sent);
    visible.push({ mark, sent, from, to, part: part * (lost ? 0.45 : 1), opacity: lost ? 1 - part : 1 });
  }
  return visible;
}

// Groups messages of one kind that one validator sent at about the same time.
export function bundles(messages) {
  const groups = new Map();
  for (const message of messages) {
    const key = `${message.from}/${message.mark.mark}/${Math.floor(message.sent / BUNDLE)}`;
    if (groups.has(key)) groups.get(key).push(message);
    else groups.set(key, [message]);
  }
  return [...groups.values()];
}

function drawTail(context, at, part) {
  const tail = Math.max(0, part - 0.18);
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(...at(tail));
  for (let p = tail; p < part; p += 0.03) context.lineTo(...at(p));
  context.stroke();
}

// Jolteon: each message is separate. A slight curve separates the two directions of a link.
function drawMessages(context, messages, { point, colours, still }) {
  for (const { mark, from, to, part, opacity } of messages) {
    const [start, end] = [point(from), point(to)];
    const bow = 0.08;
    const control = [(start[0] + end[0]) / 2 + (end[1] - start[1]) * bow, (start[1] + end[1]) / 2 - (end[0] - start[0]) * bow];
    const at = curve(start, control, end);
    context.globalAlpha = opacity * (mark === TRAFFIC ? 0.45 : 1);
    context.strokeStyle = context.fillStyle = colours[mark.colour];
    if (mark !== TRAFFIC && !still) drawTail(context, at, part);
    fillShape(context, mark.shape, ...at(part), mark.size);
  }
  context.globalAlpha = 1;
}

// Gosig and ABFT: many messages are under way. Those of a bundle travel as one, then separate; beyond that point only the messages
// of the selected validator are drawn in full.
function drawBundles(context, messages, { point, colours, still, centre, selected }) {
  for (const bundle of bundles(messages)) {
    const [{ from, mark: { colour, shape } }] = bundle;
    const start = point(from);
    const control = [start[0] + 0.7 * (centre[0] - start[0]), start[1] + 0.7 * (centre[1] - start[1])];
    const own = from === selected;
    let trunk = null;
    context.strokeStyle = context.fillStyle = colours[colour];
    for (const { mark, to, part, opacity } of bundle) {
      const at = curve(start, control, point(to));
      const full = own || to === selected;
      if (part < SPLIT) {
        if (part > (trunk?.part ?? -1)) trunk = { at, part, size: Math.max(mark.size, trunk?.size ?? 0) };
        continue;
      }
      context.globalAlpha = opacity * (full ? 1 : 0.25);
      if (!still) drawTail(context, at, part);
      if (full) fillShape(context, shape, ...at(part), mark.size);
    }
    if (!trunk) continue;
    context.globalAlpha = 1;
    fillShape(context, shape, ...trunk.at(trunk.part), trunk.size);
  }
  context.globalAlpha = 1;
}

export function drawRing(canvas, run) {
  const { members, memberOf, still, protocol, arcs, radius, quorum, selected } = run;
  const colours = palette();
  const [context, width, height] = fit(canvas);
  context.strokeStyle = colours.rule;
  context.beginPath();
  context.arc(width / 2, height / 2, width * RADIUS, 0, 7);
  context.stroke();
  const point = (slot) => {
    const [x, y] = place(memberOf(slot), members);
    return [x * width, y * height];
  };
  const room = (Math.PI * RADIUS * width) / members - radius;
  if (arcs) drawArcs(context, arcs, { radius, gap: Math.max(2, Math.min(6, room / 4)), quorum, outerColour: protocol === "abft" ? "commit" : "tentative", point, colours });
  const messages = inFlight(run);
  if (protocol !== "jolteon") drawBundles(context, messages, { point, colours, still, centre: [width / 2, height / 2], selected });
  else drawMessages(context, messages, { point, colours, still });
}

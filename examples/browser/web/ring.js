// Drawing: the ring of validators with messages in flight, and the timeline.

// Shape, size and colour of a message by tag and variant. Other messages are traffic.
const square = (variant) => ({ shape: "square", size: 4.2, colour: variant > 0 ? "alarm" : "proposal" });
const unreadable = () => ({ shape: "dot", size: 3, colour: "alarm" });
const TENTATIVE = 1000; // added to the number of signers of TENTATIVE statements
const MESSAGES = {
  jolteon: {
    0: unreadable,
    1: square,
    2: () => ({ shape: "dot", size: 2.6, colour: "vote" }),
    3: () => ({ shape: "triangle", size: 3.6, colour: "timeout" }),
    4: () => ({ shape: "dot", size: 2.4, colour: "faint" }),
  },
  gosig: {
    0: unreadable,
    1: square,
    // The size of an aggregate shows its number of signers.
    3: (variant, members) => ({ shape: "dot", size: 1.6 + (4 * (variant % TENTATIVE)) / members, colour: variant >= TENTATIVE ? "tentative" : "vote" }),
  },
};

export function palette() {
  const style = getComputedStyle(document.documentElement);
  const get = (name) => style.getPropertyValue(name).trim();
  return { ink: get("--ink"), faint: get("--faint"), rule: get("--rule"), proposal: get("--proposal"), vote: get("--vote"), timeout: get("--timeout"), tentative: get("--tentative"), alarm: get("--alarm"), commit: get("--commit"), paper: get("--paper") };
}

function fit(canvas) {
  const ratio = Math.min(devicePixelRatio || 1, 2);
  const { clientWidth: width, clientHeight: height } = canvas;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return [context, width, height];
}

export function place(member, members) {
  const angle = (member / members) * 2 * Math.PI - Math.PI / 2;
  return [0.5 + 0.43 * Math.cos(angle), 0.5 + 0.43 * Math.sin(angle)];
}

// Collected signatures of each validator: the length of an arc is the fraction of signers.
function drawArcs(context, arcs, { radius, gap, quorum, point, colours }) {
  for (const [slot, { signed, tentative }] of arcs.entries()) {
    const [x, y] = point(slot);
    for (const [part, colour, r] of [[signed, colours.vote, radius + gap], [tentative, colours.tentative, radius + 2 * gap]]) {
      context.strokeStyle = colours.rule;
      context.lineWidth = 1;
      context.beginPath();
      context.arc(x, y, r, 0, 2 * Math.PI);
      context.stroke();
      const from = -Math.PI / 2;
      context.strokeStyle = colour;
      context.lineWidth = gap * (part >= quorum ? 0.9 : 0.6);
      context.beginPath();
      context.arc(x, y, r, from, from + 2 * Math.PI * Math.min(1, part));
      context.stroke();
    }
    // The quorum mark.
    const angle = -Math.PI / 2 + 2 * Math.PI * quorum;
    context.strokeStyle = colours.faint;
    context.lineWidth = 1;
    context.beginPath();
    const [near, far] = [radius + 0.5 * gap, radius + 2.5 * gap];
    context.moveTo(x + near * Math.cos(angle), y + near * Math.sin(angle));
    context.lineTo(x + far * Math.cos(angle), y + far * Math.sin(angle));
    context.stroke();
  }
}

export function drawRing(canvas, { flights, now, members, memberOf, traffic, still, protocol, arcs, radius, quorum }) {
  const colours = palette();
  const [context, width, height] = fit(canvas);
  context.strokeStyle = colours.rule;
  context.beginPath();
  context.arc(width / 2, height / 2, width * 0.43, 0, 7);
  context.stroke();
  const point = (slot) => {
    const [x, y] = place(memberOf(slot), members);
    return [x * width, y * height];
  };
  if (arcs) drawArcs(context, arcs, { radius, gap: Math.min(4, width / 130), quorum, point, colours });
  for (const [sent, arrives, from, to, kind, variant] of flights) {
    const drawn = MESSAGES[protocol][kind]?.(variant, members);
    if (now < sent || (!drawn && !traffic)) continue;
    const lost = arrives < 0;
    const end = lost ? sent + 40_000 : arrives;
    if (now > end) continue;
    const part = ((now - sent) / Math.max(1, end - sent)) * (lost ? 0.45 : 1);
    const [x0, y0] = point(from);
    const [x1, y1] = point(to);
    // A slight curve separates the two directions of a link.
    const bow = 0.08;
    const cx = (x0 + x1) / 2 + (y1 - y0) * bow;
    const cy = (y0 + y1) / 2 - (x1 - x0) * bow;
    const at = (p) => [(1 - p) ** 2 * x0 + 2 * p * (1 - p) * cx + p * p * x1, (1 - p) ** 2 * y0 + 2 * p * (1 - p) * cy + p * p * y1];
    context.globalAlpha = lost ? Math.max(0, 1 - (now - sent) / 40_000) : drawn ? 1 : 0.45;
    context.strokeStyle = context.fillStyle = colours[drawn?.colour ?? "faint"];
    if (drawn && !still) {
      context.lineWidth = 1;
      context.beginPath();
      const tail = Math.max(0, part - 0.18);
      context.moveTo(...at(tail));
      for (let p = tail; p < part; p += 0.03) context.lineTo(...at(p));
      context.stroke();
    }
    const [x, y] = at(part);
    const size = drawn?.size ?? 1.6;
    context.beginPath();
    if (drawn?.shape === "square") context.rect(x - size, y - size, 2 * size, 2 * size);
    else if (drawn?.shape === "triangle") {
      context.moveTo(x, y - size * 1.3);
      context.lineTo(x + size * 1.2, y + size);
      context.lineTo(x - size * 1.2, y + size);
      context.closePath();
    } else context.arc(x, y, size, 0, 7);
    context.fill();
  }
  context.globalAlpha = 1;
}

// The last seconds, one lane per validator.
export function drawLanes(canvas, { marks, now, members, span }) {
  const colours = palette();
  const [context, width, height] = fit(canvas);
  const left = 22;
  const lane = height / members;
  context.font = "10px ui-monospace, monospace";
  context.textBaseline = "middle";
  for (let member = 0; member < members; member++) {
    const y = (member + 0.5) * lane;
    context.strokeStyle = colours.rule;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(left, y);
    context.lineTo(width, y);
    context.stroke();
    if (lane >= 10 || member % 5 === 0) {
      context.fillStyle = colours.faint;
      context.fillText(String(member), 2, y);
    }
  }
  const size = Math.max(1.8, Math.min(4, lane * 0.28));
  for (const { at, member, kind } of marks) {
    const x = left + (1 - (now - at) / span) * (width - left - 6);
    if (x < left || at > now) continue;
    const y = (member + 0.5) * lane;
    context.fillStyle = context.strokeStyle = colours[kind] ?? colours.ink;
    context.beginPath();
    if (kind === "proposal") context.fillRect(x - size, y - size, 2 * size, 2 * size);
    else if (kind === "commit") {
      context.lineWidth = 1.5;
      context.moveTo(x, y - size * 1.5);
      context.lineTo(x, y + size * 1.5);
      context.stroke();
    } else if (kind === "timeout") {
      context.moveTo(x, y - size * 1.3);
      context.lineTo(x + size * 1.2, y + size);
      context.lineTo(x - size * 1.2, y + size);
      context.fill();
    } else {
      context.arc(x, y, size * 0.8, 0, 7);
      context.fill();
    }
  }
}

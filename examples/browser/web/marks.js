// Marks of messages and events: shape, size and colour, shared by the diagram, the timeline and the legend.

// Sizes in pixels. The colours are variables of style.css.
const proposal = { mark: "proposal", shape: "square", size: 4.2, colour: "proposal" };
const rival = { mark: "alarm", shape: "square", size: 4.2, colour: "alarm" };
const invalid = { mark: "alarm", shape: "dot", size: 3, colour: "alarm" };
const vote = { mark: "vote", shape: "dot", size: 2.6, colour: "vote" };
const timeout = { mark: "timeout", shape: "triangle", size: 3.6, colour: "timeout" };
const certificate = { mark: "certificate", shape: "dot", size: 2.4, colour: "faint" };
const coin = { mark: "coin", shape: "diamond", size: 3.8, colour: "coin" };
const spread = { mark: "vote", shape: "dot", size: 2.2, colour: "vote" };
const agreement = { mark: "tentative", shape: "dot", size: 2.4, colour: "tentative" };
const finish = { mark: "finish", shape: "dot", size: 2.6, colour: "commit" };
export const TRAFFIC = { mark: "traffic", shape: "dot", size: 1.6, colour: "faint" };

const TENTATIVE = 1000; // added to the number of signers of TENTATIVE statements

// The marks of messages by tag, with ABFT by group of tags (src/abft.rs). The other tags are traffic.
const MESSAGES = {
  jolteon: { 0: () => invalid, 1: (variant) => (variant > 0 ? rival : proposal), 2: () => vote, 3: () => timeout, 4: () => certificate },
  gosig: {
    0: () => invalid,
    1: (variant) => (variant > 0 ? rival : proposal),
    // The size of an aggregate shows its number of signers.
    3: (variant, members) => {
      const mark = variant >= TENTATIVE ? "tentative" : "vote";
      return { mark, shape: "dot", size: 1.6 + (4 * (variant % TENTATIVE)) / members, colour: mark };
    },
  },
  abft: { 0: () => invalid, 1: (variant) => (variant > 0 ? rival : proposal), 2: () => spread, 3: () => agreement, 4: () => coin, 5: () => finish, 6: () => finish, 7: () => certificate },
};

// Returns the mark of a message, or `undefined` for traffic.
export function messageMark(protocol, tag, variant, members) {
  return MESSAGES[protocol][tag]?.(variant, members);
}

export function palette() {
  const style = getComputedStyle(document.documentElement);
  return Object.fromEntries(["ink", "faint", "rule", "proposal", "vote", "timeout", "tentative", "coin", "alarm", "commit", "paper"].map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
}

// Sets the resolution of a canvas to that of the display and clears it.
export function fit(canvas) {
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

// Fills a square, a triangle, a diamond or a dot.
export function fillShape(context, shape, x, y, size) {
  context.beginPath();
  if (shape === "square") context.rect(x - size, y - size, 2 * size, 2 * size);
  else if (shape === "triangle") {
    context.moveTo(x, y - size * 1.3);
    context.lineTo(x + size * 1.2, y + size);
    context.lineTo(x - size * 1.2, y + size);
    context.closePath();
  } else if (shape === "diamond") {
    context.moveTo(x, y - size * 1.3);
    for (const [dx, dy] of [[1, 0], [0, 1], [-1, 0]]) context.lineTo(x + dx * size * 1.3, y + dy * size * 1.3);
    context.closePath();
  } else context.arc(x, y, size, 0, 7);
  context.fill();
}

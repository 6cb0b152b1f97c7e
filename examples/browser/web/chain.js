// The latest blocks of the run.
import { PROTOCOLS } from "./words.js";

const listed = (bits) => [...bits].flatMap((bit, i) => (bit === "1" ? [i] : [])).join(", ");

// Shows the latest blocks, each with its state and the members that signed it.
export function drawChain(blocks, protocol) {
  const chain = document.getElementById("chain");
  chain.replaceChildren(...blocks.map((block) => {
    const item = document.createElement("li");
    item.className = block.second ? "rival" : block.final ? "final" : block.prepared ? "prepared" : "";
    const text = (tag, words) => Object.assign(document.createElement(tag), { textContent: words });
    const bits = document.createElement("div");
    bits.className = "bits";
    bits.setAttribute("role", "img");
    bits.setAttribute("aria-label", block.votes ? `signed by ${listed(block.votes)}` : "not certified yet");
    for (const bit of block.votes) bits.append(Object.assign(document.createElement("i"), { className: bit === "1" ? "on" : "" }));
    item.append(text("b", block.block), text("small", protocol === "abft" ? `height ${block.height}, with the proposals of ${listed(block.members)}` : `height ${block.height}, ${PROTOCOLS[protocol].unit} ${block.view}, by ${block.author}`), text("small", block.final ? "final" : block.votes ? "certified" : block.second ? "rival" : block.prepared ? "prepared" : protocol === "abft" ? "decided" : "proposed"), bits);
    return item;
  }));
  chain.scrollLeft = chain.scrollWidth;
}

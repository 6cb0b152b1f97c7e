// The certificate laboratory.
const $ = (id) => document.getElementById(id);
const NEXT = { v: "f", f: "b", b: "-", "-": "v" };
const NAMES = { v: "votes", f: "forges", b: "signs two blocks", "-": "is absent" };
const many = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;
let marks = "";
let ask = () => {};

export function begin(send) {
  ask = send;
  $("lab-size").addEventListener("change", () => resize(Number($("lab-size").value)));
  resize(7);
}

function resize(n) {
  set("v".repeat(n));
}

function set(next) {
  marks = next;
  const list = $("voters");
  if (list.childElementCount !== marks.length) {
    list.replaceChildren(...[...marks].map((_, i) => {
      const button = document.createElement("button");
      button.type = "button";
      button.addEventListener("click", () => set(marks.slice(0, i) + NEXT[marks[i]] + marks.slice(i + 1)));
      return button;
    }));
  }
  [...marks].forEach((mark, i) => {
    const button = list.children[i];
    button.dataset.mark = mark;
    button.textContent = i;
    button.setAttribute("aria-label", `Member ${i} ${NAMES[mark]}`);
    button.title = `Member ${i} ${NAMES[mark]}; press to change`;
  });
  ask(marks);
}

export function show(answer) {
  const r = JSON.parse(answer.result);
  if (answer.marks !== marks) return;
  const members = (list) => [...new Set(list)].join(", ");
  const out = [];
  if (r.certificate) {
    const c = r.certificate;
    out.push(`<p><strong>A certificate.</strong> ${c.bytes} bytes for ${[...c.signers].filter((b) => b === "1").length} signers; a verifier that knows the committee needs ${c.cost.pairings} pairings, ${c.cost.hashes} hash and ${c.cost.additions} additions: ${c.ms.toFixed(1)} ms here.</p>`);
    out.push(`<p class="bits" aria-label="bitmap of the signers">${[...c.signers].map((b) => `<i class="${b === "1" ? "on" : ""}"></i>`).join("")}</p><p class="hex">${c.hex}</p>`);
  } else {
    out.push(`<p><strong>No certificate.</strong> ${r.quorum} valid votes are required.</p>`);
  }
  if (r.blamed.length) out.push(`<p class="alarm" id="blame">Invalid votes: ${members(r.blamed)}. The other members' votes still count.</p>`);
  if (r.equivocators.length) out.push(`<p class="alarm">Signed two blocks, proven by both signatures: ${members(r.equivocators)}.</p>`);
  if (r.conflict) out.push(`<p class="alarm">Two contradicting certificates: more than a third signed both, and ${r.conflict.bytes} bytes prove the fault of ${r.conflict.culprits.join(", ")}.</p>`);
  out.push(`<p class="cost">Collecting cost ${many(r.cost.checks, "check")}: ${r.cost.pairings} pairings, ${r.cost.hashes === 1 ? "1 hash" : `${r.cost.hashes} hashes`}, ${many(r.cost.additions, "addition")}${r.cost.multiplications ? `, ${r.cost.multiplications} short multiplications to find the invalid votes` : ""}; ${r.ms.toFixed(1)} ms here.</p>`);
  $("lab-result").innerHTML = out.join("");
}

// Rendering of a report.

const SVG = 'http://www.w3.org/2000/svg';

function make(name, content, attributes = {}) {
  const node = document.createElement(name);
  node.append(...[content].flat());
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
}

/** The members in order, with signers highlighted. */
function picture(signers, size) {
  // On narrow screens twice as many rows, so that members stay distinguishable.
  const columns = matchMedia('(max-width: 32rem)').matches ? 32 : 64;
  const rows = Math.ceil(size / columns);
  const svg = document.createElementNS(SVG, 'svg');
  const label = `${signers.length} of ${size} members signed`;
  for (const [key, value] of Object.entries({ viewBox: `0 0 ${columns * 10} ${rows * 10}`, class: 'members', role: 'img', 'aria-label': label })) {
    svg.setAttribute(key, value);
  }
  const signed = new Set(signers);
  for (let member = 0; member < size; member += 1) {
    const rect = document.createElementNS(SVG, 'rect');
    const place = { x: (member % columns) * 10 + 1, y: Math.floor(member / columns) * 10 + 1, width: 8, height: 8, rx: 1.5 };
    for (const [key, value] of Object.entries(place)) rect.setAttribute(key, value);
    if (signed.has(member)) rect.setAttribute('class', 'signed');
    svg.append(rect);
  }
  return svg;
}

const milliseconds = (value) => `${value.toFixed(value < 10 ? 1 : 0)} ms`;

function blockWords({ slot, root, execution }) {
  return execution
    ? [`slot ${slot}: block ${execution[0]}, `, make('code', execution[1])]
    : [`slot ${slot}: `, make('code', root)];
}

function facts(entries) {
  return make('dl', entries.flatMap(([name, value]) => [make('dt', name), make('dd', value)]));
}

function update(one) {
  const { participants, committee_size: size, attested, finalized, supermajority } = one;
  const entries = [['Head', blockWords(attested)]];
  if (finalized) entries.push(['Final', blockWords(finalized)]);
  entries.push(['Signed in', `slot ${one.signature_slot}, by the committee of period ${one.period}`]);
  if (one.next_committee_of !== null) entries.push(['Contains', `the committee of period ${one.next_committee_of}`]);
  entries.push(['Signing root', make('code', one.signing_root)]);
  entries.push(['Checked in', `${milliseconds(one.milliseconds)}: one aggregate signature of ${participants} keys`]);
  const words = supermajority ? 'signed: at least two thirds' : 'signed: fewer than two thirds';
  return make(
    'article',
    [make('h3', `${one.kind[0].toUpperCase()}${one.kind.slice(1)}: ${participants} of ${size} ${words}`), picture(one.signers, size), facts(entries)],
    { class: supermajority ? 'card' : 'card weak' },
  );
}

export function showFailure({ code, message }) {
  const words = [make('h3', code === 'BELOW_TWO_THIRDS' ? 'Below two thirds' : 'Refused'), make('p', [make('span', code, { class: 'code' }), ` ${message}`])];
  return make('article', words, { class: code === 'BELOW_TWO_THIRDS' ? 'card weak' : 'card bad', role: 'alert' });
}

export function show(report) {
  const parts = report.updates.map(update);
  if (report.error) return [showFailure(report.error), ...parts];
  const { network, finalized, optimistic, committee_milliseconds: once } = report;
  const summary = facts([
    ['Network', network],
    ['Final', [`slot ${finalized.slot}: `, make('code', finalized.root)]],
    ['Signed head', [`slot ${optimistic.slot}: `, make('code', optimistic.root)]],
    ['Preparation', `${milliseconds(once)} to decode, check and sum the keys of the first committee`],
  ]);
  const updates = report.updates.length === 1 ? 'One update' : `${report.updates.length} updates`;
  return [make('article', [make('h3', `Verified: ${updates}`), summary], { class: 'card', id: 'verified' }), ...parts];
}

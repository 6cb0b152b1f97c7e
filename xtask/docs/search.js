// The search over the book and all references: a dialog, and the index in `search-index.js`, which is loaded at its first use.
(() => {
  const SHOWN = 30;
  const AROUND = 80;
  const root = new URL(typeof path_to_root === 'string' ? path_to_root : '', location.href);

  const bar = document.querySelector('.left-buttons');
  if (!bar) return;
  const opener = document.createElement('button');
  opener.type = 'button';
  opener.className = 'icon-button search-button';
  opener.title = 'Search (press s or /)';
  opener.setAttribute('aria-label', 'Search');
  opener.innerHTML =
    '<svg viewBox="0 0 20 20" width="18" height="18" fill="none" stroke="currentColor" stroke-width="2.5" aria-hidden="true">' +
    '<circle cx="8" cy="8" r="5.5"/><path d="M12.5 12.5 18 18"/></svg>';
  bar.append(opener);

  const dialog = document.createElement('dialog');
  dialog.id = 'search-dialog';
  dialog.setAttribute('aria-label', 'Search');
  dialog.innerHTML =
    '<input type="search" placeholder="Guides, specification, and the API of all languages" aria-label="Search">' +
    '<p class="status" role="status"></p><ol></ol>';
  document.body.append(dialog);
  const [input, status, list] = dialog.children;

  let entries;
  let problem = 'Loading the index…';
  const load = () =>
    new Promise((resolve, reject) => {
      const script = document.createElement('script');
      script.src = new URL('search-index.js', root).href;
      script.onload = resolve;
      script.onerror = () => reject(new Error('the index is missing; run `cargo xtask docs` to its end'));
      document.head.append(script);
    });

  const open = async () => {
    dialog.showModal();
    input.select();
    if (entries) return;
    show();
    try {
      await load();
      entries = window.searchIndex.map(([area, link, title, heading, text, symbols]) => ({
        area, link, title, heading, text, symbols, name: `${title} ${heading}`.toLowerCase(), lower: text.toLowerCase(),
        lowerSymbols: symbols.map((symbol) => symbol.toLowerCase()),
      }));
      show();
    } catch (error) {
      problem = error.message;
      show();
    }
  };

  // The last part of an anchor such as `method.verify` or `Vote.verify`.
  const short = (symbol) => decodeURIComponent(symbol).split('(')[0].split('.').at(-1);
  const plain = (text) => text.toLowerCase().replaceAll('_', '');

  // The rank of an entry for the words; 0 if a word is missing. `symbol` is the best name within the page.
  const rank = (entry, words) => {
    let [sum, symbol] = [0, undefined];
    for (const word of words) {
      let best = 0;
      if (entry.name === word || entry.title.toLowerCase() === word) best = 100;
      else if (entry.name.startsWith(word)) best = 50;
      else if (entry.name.includes(word)) best = 30;
      const at = entry.lowerSymbols.findIndex((each) => plain(short(each)) === plain(word));
      const near = at >= 0 ? at : entry.lowerSymbols.findIndex((each) => plain(each).includes(plain(word)));
      if (near >= 0 && best < 30) {
        best = at >= 0 ? 60 : 15;
        symbol = entry.symbols[near];
      }
      if (best === 0 && entry.lower.includes(word)) best = 4 + Math.min(4, entry.lower.split(word).length - 1);
      if (best === 0) return { sum: 0 };
      sum += best;
    }
    return { sum: sum + (['Guide', 'Spec'].includes(entry.area) ? 5 : 0), symbol };
  };

  const marked = (text, words) => {
    const parts = document.createDocumentFragment();
    const pattern = new RegExp(`(${words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})`, 'gi');
    text.split(pattern).forEach((part, at) => {
      const node = at % 2 ? document.createElement('mark') : document.createTextNode(part);
      node.textContent = part;
      parts.append(node);
    });
    return parts;
  };

  const line = ({ entry, symbol }, words) => {
    const link = document.createElement('a');
    const [area, found, excerpt] = ['span', 'div', 'div'].map((name) => document.createElement(name));
    [area.className, found.className, excerpt.className] = ['area', 'found', 'excerpt'];
    link.href = new URL(entry.link + (symbol ? `#${symbol}` : ''), root).href;
    area.textContent = entry.area;
    const heading = symbol ? short(symbol) : entry.heading;
    found.append(marked(heading && heading !== entry.title ? `${entry.title} › ${heading}` : entry.title, words));
    const at = Math.max(0, ...words.map((word) => entry.lower.indexOf(word)));
    const from = Math.max(0, at - AROUND);
    const text = entry.text.slice(from, at + 2 * AROUND);
    excerpt.append(marked(`${from > 0 ? '…' : ''}${text}${from + text.length < entry.text.length ? '…' : ''}`, words));
    link.append(area, found, excerpt);
    const item = document.createElement('li');
    item.append(link);
    return item;
  };

  const show = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (!entries || words.length === 0) {
      list.replaceChildren();
      status.textContent = entries ? `${entries.length} places` : problem;
      return;
    }
    const ranked = entries.map((entry) => ({ entry, ...rank(entry, words) })).filter(({ sum }) => sum > 0);
    ranked.sort((one, two) => two.sum - one.sum);
    status.textContent = ranked.length === 1 ? '1 result' : `${ranked.length} results`;
    list.replaceChildren(...ranked.slice(0, SHOWN).map((result) => line(result, words)));
  };

  opener.addEventListener('click', open);
  input.addEventListener('input', show);
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog || event.target.closest('a')) dialog.close();
  });
  dialog.addEventListener('keydown', (event) => {
    // mdBook has keys of its own.
    event.stopPropagation();
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const links = [...list.querySelectorAll('a')];
    if (event.key === 'Enter' && event.target === input && links[0]) links[0].click();
    if (!step || links.length === 0) return;
    event.preventDefault();
    const next = links.indexOf(document.activeElement) + step;
    (next < 0 ? input : links[Math.min(next, links.length - 1)]).focus();
  });
  document.addEventListener('keydown', (event) => {
    const typing = event.target.closest?.('input, textarea, select, [contenteditable]');
    if (typing || dialog.open || event.ctrlKey || event.metaKey || event.altKey || !['s', '/'].includes(event.key)) return;
    event.preventDefault();
    open();
  });
})();

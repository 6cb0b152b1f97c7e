// Tabs: one language at a time, the same on all pages.
(() => {
  const STORED = 'quorate-language';
  const groups = [...document.querySelectorAll('.tabs')];

  // A page that was opened from disk may have no storage.
  const stored = () => {
    try {
      return localStorage.getItem(STORED);
    } catch {
      return null;
    }
  };
  const store = (title) => {
    try {
      localStorage.setItem(STORED, title);
    } catch {
      // The choice holds for this page.
    }
  };

  const select = (group, title) => {
    const buttons = [...group.querySelectorAll('[role=tab]')];
    if (!buttons.some((button) => button.textContent === title)) return;
    for (const button of buttons) {
      const selected = button.textContent === title;
      button.setAttribute('aria-selected', String(selected));
      button.tabIndex = selected ? 0 : -1;
      document.getElementById(button.getAttribute('aria-controls')).hidden = !selected;
    }
  };

  const choose = (button) => {
    // The other groups change their height; the chosen one stays where it is.
    const before = button.getBoundingClientRect().top;
    for (const group of groups) select(group, button.textContent);
    scrollBy(0, button.getBoundingClientRect().top - before);
    store(button.textContent);
  };

  groups.forEach((group, number) => {
    const list = document.createElement('div');
    list.className = 'tab-list';
    list.setAttribute('role', 'tablist');
    list.setAttribute('aria-label', 'Language');
    const panels = [...group.children];
    panels.forEach((panel, at) => {
      panel.id = `tab-${number}-${at}`;
      panel.setAttribute('role', 'tabpanel');
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = panel.dataset.title;
      button.setAttribute('role', 'tab');
      button.setAttribute('aria-controls', panel.id);
      button.addEventListener('click', () => choose(button));
      list.append(button);
    });
    list.addEventListener('keydown', (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!step) return;
      // mdBook turns the page with these keys.
      event.stopPropagation();
      const buttons = [...list.children];
      const next = buttons[(buttons.indexOf(event.target) + step + buttons.length) % buttons.length];
      next.focus();
      choose(next);
    });
    group.prepend(list);
    group.classList.add('ready');
    select(group, panels[0].dataset.title);
    select(group, stored());
  });
})();

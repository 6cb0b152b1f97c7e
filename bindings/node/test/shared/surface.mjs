// Compares a package with its declarations: every declared name exists, and no other name is exported.

/** Differences between the `declarations` and the package, as lines of text; empty if there are none. */
export function differences(q, names, objects) {
  const wrong = [];
  for (const [name, members] of names) {
    if (!(name in q)) wrong.push(`${name} is declared, but not exported`);
    for (const member of members) {
      const fixed = member.startsWith('static ');
      const key = member.replace('static ', '').replace(/^\[Symbol\.(\w+)\]$/, (_, symbol) => `@${symbol}`);
      const property = key.startsWith('@') ? Symbol[key.slice(1)] : key;
      const isClass = typeof q[name] === 'function';
      const holder = fixed || !isClass ? q[name] : (objects[name] ?? q[name].prototype);
      if (holder === undefined || property === undefined || holder instanceof Error) continue;
      if (!(property in holder)) wrong.push(`${name}.${key} is declared, but not there`);
    }
  }
  for (const [name, object] of Object.entries(objects)) {
    const own = Object.getOwnPropertyNames(q[name].prototype).filter((key) => key !== 'constructor');
    const statics = Object.getOwnPropertyNames(q[name]).filter((key) => !['length', 'name', 'prototype'].includes(key));
    const known = names.get(name) ?? new Set();
    for (const key of own) if (!known.has(key)) wrong.push(`${name}.${key} is there, but not declared`);
    for (const key of statics) if (!known.has(`static ${key}`)) wrong.push(`${name}.${key} (static) is not declared`);
    if (!(object instanceof q[name])) wrong.push(`the object of ${name} is not one`);
  }
  for (const name of Object.keys(q)) {
    if (name !== 'default' && !names.has(name)) wrong.push(`${name} is exported, but not declared`);
  }
  return wrong;
}

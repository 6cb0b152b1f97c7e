// Compares a package with index.d.ts: every declared name exists, and no other name is exported.

/** Top-level names of a declaration file, and the members of its classes and namespaces. */
export function declared(text) {
  const names = new Map();
  let inside;
  for (const line of text.split('\n')) {
    const top = /^export (?:const|class|namespace|function|\* as) (\w+)/.exec(line);
    if (top) {
      inside = top[1];
      names.set(inside, new Set());
      if (line.includes('}') || line.endsWith(';')) inside = undefined;
    } else if (/^}/.test(line) || /^export /.test(line)) {
      inside = undefined;
    } else if (inside) {
      const member = /^  (?:readonly |const |function |class )?(static )?(?:readonly )?(\w+|\[Symbol\.\w+\])[(:? {]/.exec(line);
      if (member && !['constructor', 'private', 'protected', 'type', 'interface'].includes(member[2])) {
        names.get(inside).add(`${member[1] ?? ''}${member[2]}`);
      }
    }
  }
  return names;
}

/** Differences between the declarations and the package, as lines of text; empty if there are none. */
export function differences(q, text, objects) {
  const names = declared(text);
  const wrong = [];
  for (const [name, members] of names) {
    if (!(name in q)) wrong.push(`${name} is declared, but not exported`);
    for (const member of members) {
      const fixed = member.startsWith('static ');
      const key = member.replace('static ', '').replace(/^\[Symbol\.(\w+)\]$/, (_, symbol) => `@${symbol}`);
      const property = key.startsWith('@') ? Symbol[key.slice(1)] : key;
      const isClass = typeof q[name] === 'function';
      const holder = fixed || !isClass ? q[name] : (objects[name] ?? undefined);
      if (holder === undefined || property === undefined) continue;
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

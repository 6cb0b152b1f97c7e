// The names that a declaration file of the package exports, with those of the files that it re-exports.

/**
 * Top-level names, and the members of their classes and namespaces; a static member begins with `static `. `read` returns
 * the text of a file of the package, by its path.
 */
export function declarations(read, file = 'index.d.ts') {
  const added = new Map();
  const names = exported(read, file, added, new Set());
  for (const [name, members] of added) for (const member of members) names.get(name)?.add(member);
  return names;
}

/** Names of a file. Members that it adds to classes of other files are collected in `added`. */
function exported(read, file, added, visited) {
  const text = indented(read(file));
  const other = (path) => exported(read, new URL(`${path}.d.ts`, `file:///${file}`).pathname.slice(1), added, visited);
  const names = new Map();
  const merge = (more) => more.forEach((members, name) => names.set(name, members));
  for (const [, path] of text.matchAll(/^export \* from '(.*)\.js';/gm)) merge(other(path));
  for (const [, path] of text.matchAll(/^import '(.*)\.js';/gm)) other(path);
  for (const [, list, path] of text.matchAll(/^export \{([^}]*)\} from '(.*)\.js';/gm)) {
    const there = other(path);
    for (const name of list.split(',').map((one) => one.trim())) {
      if (name && !name.startsWith('type ')) names.set(name, there.get(name) ?? new Set());
    }
  }
  merge(own(text));
  if (visited.has(file)) return names;
  visited.add(file);
  for (const [, body] of text.matchAll(/^declare module [^{]*\{\n(.*?)^\}/gms)) {
    for (const [, kind, name, members] of body.matchAll(/^  (interface|namespace) (\w+) \{(.*?)^  \}/gms)) {
      const outer = members.replace(/^  /gm, '');
      for (const member of membersOf(outer)) {
        if (!added.has(name)) added.set(name, new Set());
        added.get(name).add(kind === 'namespace' ? `static ${member}` : member);
      }
    }
  }
  return names;
}

/** The compiler indents by four spaces. */
const indented = (text) =>
  /^ {2}\S/m.test(text.replace(/^ +\*.*$/gm, '')) ? text : text.replace(/^( {4})+/gm, (spaces) => ' '.repeat(spaces.length / 2));

function own(text) {
  const names = new Map();
  let inside;
  for (const line of text.split('\n')) {
    const top = /^export (?:declare )?(?:const|let|class|namespace|function|\* as) (\w+)/.exec(line);
    if (top) {
      inside = top[1];
      names.set(inside, new Set());
      if (/\}$|;$/.test(line) || / function /.test(line)) inside = undefined;
    } else if (/^}/.test(line) || /^(export|declare) /.test(line)) {
      inside = undefined;
    } else if (inside) {
      for (const member of membersOf(line)) names.get(inside).add(member);
    }
  }
  return names;
}

function membersOf(text) {
  const found = [];
  for (const line of text.split('\n')) {
    const member = /^  (?:readonly |const |function |class |get )?(static )?(?:readonly |get )?(\w+|\[Symbol\.\w+\])[(:? {<]/.exec(line);
    if (member && !['constructor', 'private', 'protected', 'readonly', 'type', 'interface'].includes(member[2])) {
      found.push(`${member[1] ?? ''}${member[2]}`);
    }
  }
  return found;
}

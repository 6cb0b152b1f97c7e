// HTTP for somebody who trusts nobody: every answer has a deadline and a largest size, and nothing is followed.

const LONGEST_LINE = 64 << 10;
const MOST_PIECES = 1 << 16;
const ALIVE = 10; // a validator says at least this often that its stream lives

/** A validator did not answer as it should. That is no lie: it may be dead, busy or slow. */
export class Lost extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/** One validator's HTTP interface. */
export class Link {
  #stream = new AbortController();

  constructor(url, patience) {
    const parts = URL.canParse(url) ? new URL(url) : {};
    const usable = ['http:', 'https:'].includes(parts.protocol) && !parts.search && !parts.hash && !parts.username;
    if (!usable) throw new TypeError(`${url} is no address of a validator; one looks like http://127.0.0.1:8100`);
    Object.assign(this, { url, patience, base: url.replace(/\/+$/, '') });
  }

  /** The JSON of an answer of at most `most` bytes. */
  get(path, most, wait = 0) {
    return this.#ask(path, {}, most, wait);
  }

  post(path, body, most) {
    const headers = { 'content-type': 'application/octet-stream' };
    return this.#ask(path, { method: 'POST', body, headers }, most, 0);
  }

  async #ask(path, request, most, wait) {
    return within(this.patience + wait, new AbortController(), async (signal) => {
      const response = await fetch(this.base + path, { ...request, signal, redirect: 'manual' });
      const content = await body(response, most);
      if (![200, 202].includes(response.status)) {
        throw new Lost(refusal(content), `answers with HTTP ${response.status}`);
      }
      return parsed(content);
    });
  }

  /** The lines of a stream that never ends by itself; each must be whole in time. */
  async *lines(path) {
    this.#stream = new AbortController();
    const stream = this.#stream;
    try {
      const response = await within(this.patience, stream, (signal) =>
        fetch(this.base + path, { signal, redirect: 'manual' }),
      );
      if (response.status !== 200) throw new Lost('REFUSED', `answers with HTTP ${response.status}`);
      const reader = response.body.getReader();
      let rest = Buffer.alloc(0);
      for (;;) {
        await within(this.patience + ALIVE, stream, async () => {
          while (!rest.includes(10)) {
            if (rest.length > LONGEST_LINE) throw new Lost('TOO_LARGE', `a line above ${LONGEST_LINE} bytes`);
            const { done, value } = await reader.read();
            if (done) throw new Lost('ENDED', 'the stream ended');
            rest = Buffer.concat([rest, value]);
          }
        });
        for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
          const line = rest.toString('latin1', 0, Math.min(end, LONGEST_LINE));
          rest = rest.subarray(end + 1);
          yield line.replace(/\r$/, '');
        }
      }
    } finally {
      stream.abort();
    }
  }

  /** Ends the stream. */
  close() {
    this.#stream.abort();
  }
}

/** The whole body, as long as it is not too large. */
async function body(response, most) {
  const length = Number(response.headers.get('content-length') ?? 0);
  if (length > most) throw new Lost('TOO_LARGE', `an answer of ${length} bytes instead of at most ${most}`);
  const pieces = [];
  let size = 0;
  try {
    for await (const piece of response.body ?? []) {
      pieces.push(piece);
      size += piece.length;
      if (size > most) throw new Lost('TOO_LARGE', `an answer of more than ${most} bytes`);
      if (pieces.length > MOST_PIECES) throw new Lost('TOO_LARGE', `an answer in more than ${MOST_PIECES} pieces`);
    }
  } catch (error) {
    if (error instanceof Lost || error.name === 'AbortError' || size >= length) throw error;
    throw new Lost('TRUNCATED', `an answer that ends after ${size} of ${length} bytes`);
  }
  return Buffer.concat(pieces);
}

/** Does something with the network, ends it when its time is over, and turns what goes wrong into `Lost`. */
async function within(seconds, controller, work) {
  const late = new Lost('TIMEOUT', `no whole answer within ${seconds} s`);
  const timer = setTimeout(() => controller.abort(late), seconds * 1000);
  try {
    return await work(controller.signal);
  } catch (error) {
    if (controller.signal.reason === late) throw late;
    if (error instanceof Lost) throw error;
    if (error?.cause?.code === 'UND_ERR_HEADERS_OVERFLOW') throw new Lost('TOO_LARGE', 'headers that are too long');
    // `fetch` reports everything that is the network's fault as a TypeError, and what was ended as an AbortError.
    if (error instanceof TypeError && error.message === 'terminated') throw new Lost('ENDED', 'the connection ended');
    if (error instanceof TypeError || error?.name === 'AbortError') throw new Lost('UNREACHABLE', 'no connection');
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function parsed(content) {
  try {
    return JSON.parse(content.toString('utf8'));
  } catch {
    return undefined; // what follows finds that no field is there
  }
}

/** The code of an error's answer, if it is one: what a stranger sends is not printed as it is. */
function refusal(content) {
  const code = parsed(content)?.code;
  return typeof code === 'string' && /^[A-Z_]{1,32}$/.test(code) ? code : 'REFUSED';
}

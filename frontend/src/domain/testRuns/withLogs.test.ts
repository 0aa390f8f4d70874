import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { withLogs } from './withLogs'

const file = (name: string, text: string) => new File([text], name)
const RESULT = file('run.json', '{"fio version": "fio-3.35"}')
const LOG = file('out_lat.1.log', '1000, 400000, 0, 0, 0\n'.repeat(100))

it('a result and its logs are sent as one tar that tar itself reads', async () => {
  const [bundle, ...others] = withLogs([LOG, RESULT], 'fio')
  expect(others).toEqual([])
  expect(bundle?.name).toBe('run.json + 1 log')
  const data = Buffer.from((await bundle?.arrayBuffer()) ?? new ArrayBuffer())
  const listed = execFileSync('tar', ['-tvf', '-'], { input: data }).toString()
  expect(listed).toMatch(/ 27 .*run\.json\n.* 2200 .*out_lat\.1\.log\n/)
  const log = execFileSync('tar', ['-xOf', '-', 'out_lat.1.log'], { input: data }).toString()
  expect(log).toBe(await LOG.text())
})

it('a bundle is named by its result, or by its first log, and keeps the end of a long name', async () => {
  expect(withLogs([LOG, file('out_lat.2.log', '')], 'fio').map(({ name }) => name)).toEqual(['out_lat.1.log + 1 log'])
  const long = file(`${'x'.repeat(150)}_lat.1.log`, '1')
  const [bundle] = withLogs([RESULT, long], 'fio')
  const data = Buffer.from((await bundle?.arrayBuffer()) ?? new ArrayBuffer())
  expect(execFileSync('tar', ['-tf', '-'], { input: data }).toString()).toContain('x_lat.1.log\n')
})

it('other files are sent one by one', () => {
  expect(withLogs([RESULT, RESULT], 'fio')).toEqual([RESULT, RESULT])
  expect(withLogs([LOG], 'fio')).toEqual([LOG])
  expect(withLogs([RESULT, LOG], 'vdbench')).toEqual([RESULT, LOG])
})

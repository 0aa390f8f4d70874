import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { group, latencyColumn, rateColumn, series } from '../testing/series'
import { legendOf, niceMax, panelsOf } from './panels'

const array = group('array', [
  latencyColumn('read_service_us', [300, 310, null]),
  latencyColumn('read_queue_us', [40, 50, null]),
  latencyColumn('read_san_us', [60, 60, null]),
  latencyColumn('write_service_us', [100, 100, 100]),
  rateColumn('read_iops', [9000, 9100, null]),
])
const hosts = group('host', [
  latencyColumn('read_gavg_us', [1000, 1000, 2000], 1000),
  latencyColumn('read_davg_us', [1000, 0, 1000], 1000),
  rateColumn('read_iops', [8990, 9090, 9000]),
])
const both = series([array, hosts])
const NONE = new Set<string>()

describe('panels of both sides', () => {
  const panels = panelsOf(both, both.groups, NONE)

  it('stand in the order read, write, rates', () => {
    expect(panels.map((panel) => panel.id)).toEqual(['read', 'write', 'iops'])
  })

  it('draw the CPU usage of a host last, on an axis of 100 %, with a legend of its own', () => {
    const usage = {
      ...rateColumn('cpu_usage', [41, 97.1, null]),
      label: 'CPU usage',
      unit: '%' as const,
      direction: null,
    }
    const withCpu = series([array, hosts, { ...group('host', [usage]), level: 'cpu' as const }])
    const cpu = panelsOf(withCpu, withCpu.groups, NONE).at(-1)
    expect([cpu?.id, cpu?.unit, cpu?.max]).toEqual(['cpu', '%', 100])
    expect(cpu?.lines.map(({ label, values }) => [label, values])).toEqual([['CPU usage', [41, 97.1, null]]])
    expect(legendOf(withCpu, withCpu.groups).at(-1)?.legend).toBe('Host CPU')
  })

  it('stack the array in the order of the path, its service on top, and draw the hosts as lines over it', () => {
    const lines = panels[0]?.lines.map((line) => [line.key, line.shape])
    expect(lines).toEqual([
      ['array.san_us', 'area'],
      ['array.queue_us', 'area'],
      ['array.service_us', 'area'],
      ['host.davg_us', 'line'],
      ['host.gavg_us', 'line'],
    ])
  })

  it('keep null null and zero zero', () => {
    const line = (key: string) => panels[0]?.lines.find((one) => one.key === key)?.values
    expect(line('array.service_us')).toEqual([300, 310, null])
    expect(line('host.davg_us')).toEqual([1000, 0, 1000])
  })

  it('share one scale between reads and writes', () => {
    expect(panels[0]?.max).toBe(panels[1]?.max)
    expect(panels[0]?.scale).toEqual(panels[1]?.scale)
    expect(panels[0]?.max).toBeGreaterThanOrEqual(2000)
  })

  it('leave out what the viewer switched off, and keep it in the legend', () => {
    const hidden = new Set(['host.gavg_us'])
    expect(panelsOf(both, both.groups, hidden)[0]?.lines.some((line) => line.key === 'host.gavg_us')).toBe(false)
    expect(legendOf(both, both.groups).some((line) => line.key === 'host.gavg_us')).toBe(true)
  })

  it('keep a panel whose lines are all switched off, so that nothing else moves', () => {
    const hidden = new Set(['array.service_us'])
    expect(panelsOf(both, both.groups, hidden).map((panel) => panel.id)).toEqual(['read', 'write', 'iops'])
  })

  it('give mirrored writes a panel of their own instead of adding them up here', () => {
    const stretched = series([group('array', [latencyColumn('mirrored_write_service_us', [500])])])
    expect(panelsOf(stretched, stretched.groups, NONE).map((panel) => panel.title)).toEqual(['Mirrored write'])
  })

  it('draw nothing for a side that was not measured', () => {
    const silent = series([group('host', [latencyColumn('read_gavg_us', [null, null])])])
    expect(panelsOf(silent, silent.groups, NONE)).toEqual([])
  })
})

describe('a datastore whose hosts time devices and virtual disks', () => {
  const disks = group('host', [
    latencyColumn('read_latency_us', [1100, 1100, 2100]),
    rateColumn('read_iops', [8995, 9095, 9000]),
  ])
  const three = series([array, hosts, disks])
  const lines = panelsOf(three, three.groups, NONE).flatMap((panel) =>
    panel.lines.map((line) => `${panel.id} ${line.id}`),
  )

  it('keeps the two levels apart in every panel and in the legend', () => {
    expect(new Set(lines).size).toBe(lines.length)
    const rates = legendOf(three, three.groups).filter((line) => line.unit === 'ops/s')
    expect(rates.map((line) => line.legend)).toEqual(['Array, I/O', 'Hosts, I/O', 'Virtual disks, I/O'])
  })
})

describe('gaps', () => {
  const gap = {
    source: { kind: 'flasharray', name: 'fa-1' },
    stream: 'array_volume',
    side: 'array' as const,
    subject: null,
    from_at: '2026-11-20T12:02:00Z',
    to_at: '2026-11-20T12:03:00Z',
    reason: 'source unreachable: connect timed out',
    state: 'pending_backfill' as const,
  }

  it('lie only on panels that show their side, and carry the reason', () => {
    const writesOfHosts = series([array, group('host', [latencyColumn('mirrored_write_gavg_us', [1])])], {
      gaps: [gap],
    })
    const panels = panelsOf(writesOfHosts, writesOfHosts.groups, NONE)
    expect(panels.map((panel) => [panel.id, panel.gaps.length])).toEqual([
      ['read', 1],
      ['write', 1],
      ['mirrored_write', 0],
      ['iops', 1],
    ])
    expect(panels[0]?.gaps[0]?.text).toBe('fa-1: source unreachable: connect timed out, backfill pending')
  })
})

describe('the axis end', () => {
  it('is a little above the highest value and never far above', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-3, max: 1e9, noNaN: true }), (highest) => {
        expect(niceMax(highest)).toBeGreaterThan(highest)
        expect(niceMax(highest)).toBeLessThanOrEqual(highest * 1.4)
      }),
    )
  })
})

import { describe, expect, it } from 'vitest'
import {
  BOX_HEIGHT,
  fullness,
  type HopLink,
  hopPicture,
  iopsWords,
  latencyWords,
  linkBounds,
  linkTime,
  linkWords,
  queueWords,
  readingsOf,
  readingText,
} from './hops'

const load = { iops: 100, us: 900, precision_us: null, ios: 6.24, depth: null }
const node = (id: string, more: object = {}) => ({ id, name: id, state: null, load, ...more })
const link = (from_id: string, to_id: string, more: Partial<HopLink> = {}): HopLink => {
  const plain = { name: 'kernel', label: 'Kernel', layers: ['kernel' as const], us: 440, lower_us: 420, upper_us: 450 }
  return { from_id, to_id, ...plain, is_merged: false, ...more }
}
const hop = (name: string, ...nodes: ReturnType<typeof node>[]) => ({ name, label: name, total: nodes.length, nodes })

const way = {
  hops: [
    hop('vm', node('vm')),
    hop('vm_disk', node('d1'), node('d2')),
    hop('queue'),
    hop('array', node('a', { load: { ...load, iops: 200 } })),
  ],
  links: [
    link('vm', 'd1', { name: 'guest', layers: ['guest'], us: null }),
    link('vm', 'd2', { name: 'guest', layers: ['guest'], us: null }),
    link('d1', 'a'),
    link('d2', 'a', { name: 'kernel_san', layers: ['kernel', 'san'], us: 100, is_merged: true }),
    link('d2', 'gone'),
  ],
}

describe('the way of I/Os as a picture', () => {
  const picture = hopPicture(way, ['kernel'])

  it('has one column per hop that is there, first and last at the edges', () => {
    expect(picture.columns.map(({ hop, x }) => [hop.name, x])).toEqual([
      ['vm', 6],
      ['vm_disk', 50],
      ['array', 94],
    ])
  })

  it('spreads the nodes of a hop over the whole height, without one covering another', () => {
    const [vm, disks] = picture.columns.map(({ nodes }) => nodes.map(({ y }) => y))
    expect(vm?.[0]).toBe(((disks?.[0] ?? 0) + (disks?.[1] ?? 0)) / 2)
    expect((disks?.[1] ?? 0) - (disks?.[0] ?? 0)).toBeGreaterThanOrEqual(BOX_HEIGHT)
    expect(picture.height).toBeGreaterThan((disks?.[1] ?? 0) + BOX_HEIGHT / 2)
  })

  it('puts what belongs together at the same height', () => {
    const hops = [hop('vm_disk', node('d1'), node('d2')), hop('queue', node('q2'), node('q1'), node('lone'))]
    const { columns } = hopPicture({ hops, links: [link('d1', 'q1'), link('d2', 'q2')] }, [])
    expect(columns[1]?.nodes.map(({ node }) => node.id)).toEqual(['q1', 'q2', 'lone'])
  })

  it('says of a queue with few I/Os that there are some', () => {
    expect(fullness({ ...load, ios: 0.04, depth: 128 })?.text).toBe('<0.1 / 128')
    expect(fullness({ ...load, ios: 0, depth: 128 })?.text).toBe('0 / 128')
  })

  it('draws only links whose both ends are shown, in the color of their layer', () => {
    expect(picture.links.map(({ key, color, isFaint }) => [key, color, isFaint])).toEqual([
      ['vm d1', { ink: 'gap' }, true],
      ['vm d2', { ink: 'gap' }, true],
      ['d1 a', { layer: 'kernel_queue' }, false],
      ['d2 a', { ink: 'gap' }, false],
    ])
  })

  it('marks where the named layer’s time is, not every place that has a little of it', () => {
    expect(picture.links.map(({ isNamed }) => isNamed)).toEqual([false, false, true, false])
    expect(hopPicture(way, []).links.some(({ isNamed }) => isNamed)).toBe(false)
  })

  it('never shows an unmeasured time as a number, nor a shared one as exact', () => {
    expect(picture.links.map(({ text }) => text)).toEqual(['–', '–', '0.44 ms', '≤ 0.10 ms'])
    expect(linkTime(link('a', 'b', { us: 0, lower_us: 0, upper_us: 160 }))).toBe('≤ 0.16 ms')
    expect(linkTime(link('a', 'b', { us: 0.02, lower_us: 0, upper_us: 160 }))).toBe('≤ 0.16 ms')
    expect(linkTime(link('a', 'b', { us: 0.02, lower_us: 0, upper_us: 0.7 }))).toBe('<1 µs')
    expect(linkTime(link('a', 'b', { us: 0, lower_us: null, upper_us: null }))).toBe('0 µs')
  })

  it('says a time that was not separable once, and in words where it stands, and draws no line without I/Os for it', () => {
    const untold = link('d2', 'a', { name: 'hypervisor', us: null, lower_us: null, upper_us: null, is_merged: true })
    expect([linkTime(untold), linkBounds(untold)]).toEqual(['not separable', null])
    expect(linkWords(untold)).toBe('not separable from the kernel time at the host queue')
    expect(linkWords({ ...untold, is_merged: false })).toBe('not measured')
    const drawn = hopPicture({ ...way, links: [untold] }, ['kernel']).links[0]
    expect(drawn).toMatchObject({ isUntold: true, isFaint: false, isNamed: false, hatched: true })
  })

  it('lets nothing flow over a dead path', () => {
    const dead = {
      hops: [hop('path', node('p', { state: 'dead' })), hop('volume', node('v'))],
      links: [link('p', 'v')],
    }
    expect(hopPicture(dead, ['kernel']).links[0]).toMatchObject({ isFaint: true, color: { ink: 'gap' } })
  })

  it('is empty for a way without anything on it', () => {
    expect(hopPicture({ hops: [hop('vm')], links: [] }, [])).toMatchObject({ columns: [], links: [] })
  })
})

it('a queue says how full it is where its depth is known', () => {
  expect(fullness({ ...load, depth: 32 })).toEqual({ text: '6.2 / 32', label: 'ACTV 6.2 / DQLEN 32', share: 6.24 / 32 })
  expect(fullness({ ...load, ios: 71.6, depth: 64 })).toEqual({
    text: '72 / 64',
    label: 'ACTV 72 / DQLEN 64',
    share: 1,
  })
  expect(fullness(load)).toBeNull()
})

describe('whose latency a hop tells', () => {
  const volume = node('volume-1', { load: { ...load, us: 340 } })
  const array = node('array-1', { load: { ...load, us: 720 } })
  const hops = [hop('vm', node('vm')), hop('volume', volume), hop('array', array)]
  const own = (us: number | null) => ({
    hops,
    links: [link('volume-1', 'array-1', { name: 'array', layers: ['array'], us })],
  })
  const told = (name: string, one: ReturnType<typeof node>, way: ReturnType<typeof own>) =>
    readingsOf(name, one, way).map(({ us, by }) => [us, by])

  it('is the hosts’ above the array, and of a volume both sides’', () => {
    expect(told('vm', node('vm'), own(180))).toEqual([[900, 'endToEnd']])
    expect(told('volume', volume, own(180))).toEqual([
      [180, 'array'],
      [340, 'hosts'],
    ])
    expect(told('array', array, own(180))).toEqual([[720, 'hosts']])
  })

  it('of a queue is about as long as whole milliseconds can tell, of a path what its counter may stand for', () => {
    const coarse = { load: { ...load, us: 500, precision_us: 1000 } }
    const words = (name: string) =>
      readingsOf(name, node(name, coarse), own(180)).map((one) => [readingText(one), one.by])
    expect(words('queue')).toEqual([['≈ 0.5 ms', 'estimated']])
    expect(words('path')).toEqual([['0–1.5 ms', 'endToEnd']])
    expect(readingsOf('queue', node('q'), own(180)).map(readingText)).toEqual(['0.90 ms'])
  })

  it('is the array’s alone where no host measured anything', () => {
    expect(told('volume', volume, own(340))).toEqual([[340, 'array']])
    expect(told('array', array, own(340))).toEqual([[720, 'array']])
  })

  it('is nobody’s where nothing was timed, and never the array’s where the array said nothing', () => {
    expect(told('vm', node('vm', { load: { ...load, us: null } }), own(180))).toEqual([])
    expect(told('volume', volume, own(null))).toEqual([[340, 'hosts']])
  })
})

it('a load in words names what was not measured of it, and nothing where nothing was done', () => {
  const words = (name: string, more: Partial<Parameters<typeof fullness>[0]>) => {
    const node = { id: 'one', load: { ...load, ...more } }
    const all = [iopsWords(node.load), latencyWords(name, node, { hops: [], links: [] }), queueWords(name, node.load)]
    return all.filter((text) => text !== null)
  }
  expect(words('queue', { depth: 32 })).toEqual(['100 IOPS', '0.90 ms from this hop on', 'ACTV 6.2 / DQLEN 32'])
  expect(words('queue', { iops: null, us: null })).toEqual([
    'IOPS not measured',
    'latency not measured',
    'ACTV not measured',
  ])
  // Only queues have a depth; without I/Os there is no latency.
  expect(words('vm', { iops: 0, us: null })).toEqual(['0 IOPS'])
})

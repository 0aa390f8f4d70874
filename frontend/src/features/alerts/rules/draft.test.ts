import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { QuantityUse, RuleBody, RuleOut } from '../../../api/types'
import { bodyOf, draftOf, keyOf, NEW_RULE, type Quantities, withQuantity, withSubject } from './draft'

const use = (given: Partial<QuantityUse>): QuantityUse => ({
  quantity: 'latency',
  unit: 'µs',
  subjects: ['datastore', 'vm'],
  parts: [null, 'kernel', 'array_qos'],
  has_direction: true,
  findings: [],
  ...given,
})
const SHARE = use({ quantity: 'share', unit: 'share', parts: ['kernel', 'san'] })
const EXCESS_OUTSTANDING = use({ quantity: 'excess_outstanding', unit: 'I/Os', parts: [], has_direction: false })
const SILENT = use({ quantity: 'sample_age', unit: 's', subjects: ['source'], parts: [], has_direction: false })
const FINDINGS = use({
  quantity: 'open_findings',
  unit: 'findings',
  subjects: ['datastore', 'source'],
  parts: [],
  has_direction: false,
  findings: [{ id: 'paths-down', title: 'Paths down' }],
})
const QUANTITIES: Quantities = new Map(
  [use({}), SHARE, EXCESS_OUTSTANDING, SILENT, FINDINGS].map((one) => [one.quantity, one]),
)

const ANY = { finding: null, finding_severity: null }

const RULE: RuleBody = {
  key: 'kernel_queueing',
  name: 'Kernel latency',
  of: 'datastore',
  where: { cluster: 'prod*' },
  when: [
    {
      quantity: 'latency',
      part: 'kernel',
      direction: 'all',
      at_least: 300,
      recover_below: 200,
      compared: 'lower',
      ...ANY,
    },
    {
      quantity: 'share',
      part: 'kernel',
      direction: 'read',
      at_least: 0.57,
      recover_below: null,
      compared: 'estimate',
      ...ANY,
    },
  ],
  for_min: 5,
  keep_firing_min: 5,
  no_data_after_min: 5,
  min_ops: 30,
  min_quality: 'C',
  severity: 'warning',
  labels: { team: 'storage' },
  runbook_url: '',
  enabled: true,
}

describe('a rule in the form', () => {
  it('is written in ms and %', () => {
    const { when } = draftOf(RULE, QUANTITIES)
    expect(when.map(({ atLeast, recoverBelow }) => [atLeast, recoverBelow])).toEqual([
      [0.3, 0.2],
      [57, ''],
    ])
  })

  it('on findings asks for one of the chosen rule, and forgets the rule with the quantity', () => {
    const draft = draftOf(RULE, QUANTITIES)
    const [first] = draft.when
    if (first === undefined) throw new Error('the rule has conditions')
    const chosen = { ...withQuantity(first, FINDINGS), finding: 'paths-down', findingSeverity: 'high' as const }
    expect(bodyOf({ ...draft, when: [chosen] }, QUANTITIES).when).toEqual([
      {
        ...{
          quantity: 'open_findings',
          part: null,
          direction: 'all',
          at_least: 1,
          recover_below: null,
          compared: 'lower',
        },
        ...{ finding: 'paths-down', finding_severity: 'high' },
      },
    ])
    expect(withQuantity(chosen, EXCESS_OUTSTANDING)).toMatchObject({ finding: null, findingSeverity: null })
  })

  it('comes back as it was', () => {
    expect(bodyOf(draftOf(RULE, QUANTITIES), QUANTITIES)).toEqual(RULE)
  })

  it('sends nothing back that only the server says of it', () => {
    const told: RuleOut = {
      ...RULE,
      ...{ id: 7, is_default: false, open: 2, error: 'where: no pattern', error_at: '2026-11-21T02:13:00Z' },
      ...{ created_at: '2026-11-21T02:00:00Z', changed_at: '2026-11-21T02:00:00Z' },
    }
    expect(bodyOf(draftOf(told, QUANTITIES), QUANTITIES)).toEqual(RULE)
  })

  it('comes back as it was whatever its thresholds', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000_000 }), fc.integer({ min: 1, max: 1000 }), (us, permille) => {
        const [latency, share] = RULE.when
        if (latency === undefined || share === undefined) throw new Error('two conditions were given')
        const when = [
          { ...latency, at_least: us },
          { ...share, at_least: permille / 1000 },
        ]
        expect(bodyOf(draftOf({ ...RULE, when }, QUANTITIES), QUANTITIES).when).toEqual(when)
      }),
    )
  })

  it('forgets part and direction where the quantity has none', () => {
    const [first] = NEW_RULE.when
    if (first === undefined) throw new Error('a new rule has a condition')
    const reads = { ...first, direction: 'read' as const }
    expect(withQuantity(reads, EXCESS_OUTSTANDING)).toMatchObject({
      quantity: 'excess_outstanding',
      part: null,
      direction: 'all',
    })
    expect(withQuantity({ ...reads, part: null }, SHARE)).toMatchObject({ part: 'kernel', direction: 'read' })
    expect(withQuantity(reads, SHARE).part).toBe('kernel')
  })

  it('compares what its kind of object has', () => {
    const ofSource = withSubject(NEW_RULE, 'source', QUANTITIES)
    expect(ofSource.when.map(({ quantity }) => quantity)).toEqual(['sample_age'])
    expect([ofSource.min_ops, ofSource.min_quality]).toEqual([0, 'D'])
    const back = withSubject(ofSource, 'vm', QUANTITIES)
    expect([back.when[0]?.quantity, back.min_ops, back.min_quality]).toEqual(['latency', 30, 'C'])
    expect(withSubject({ ...NEW_RULE, min_ops: 500 }, 'vm', QUANTITIES).min_ops).toBe(500)
  })
})

describe('a key made from a name', () => {
  it('is what the API takes', () => {
    expect(keyOf('Kernel queueing!')).toBe('kernel_queueing')
    expect(keyOf('2 × usual, Größe')).toBe('usual_gro_e')
    fc.assert(fc.property(fc.string({ maxLength: 200 }), (name) => /^([a-z][a-z0-9_]{0,63})?$/.test(keyOf(name))))
  })
})

/** A finding with known numbers, for tests. */

import type { FindingDetail } from '../api/types'

export const pathsDown: FindingDetail = {
  id: 7,
  rule: 'paths-down',
  rule_title: 'Paths down',
  title: '4 of 8 paths down on esx-01',
  object: { kind: 'datastore', id: 6, name: 'metro-06' },
  concerns: 2,
  severity: 'elevated',
  confidence: 'confirmed',
  state: 'open',
  advice: 'Repair the paths that are down',
  raised_at: '2026-11-24T09:00:00Z',
  seen_at: '2026-11-24T09:10:00Z',
  cleared_at: null,
  accepted: null,
  cause: 'The paths that are down lead to fa-2.',
  evidence: [
    {
      label: 'Paths down',
      value: 4,
      unit: 'paths',
      is_derived: false,
      from_at: null,
      to_at: '2026-11-24T09:10:00Z',
      object: null,
      counter: 'multipathInfo.lun.path.state',
    },
    {
      label: 'Load per path',
      value: null,
      unit: 'IOPS',
      is_derived: true,
      from_at: null,
      to_at: '2026-11-24T09:10:00Z',
      object: null,
      counter: 'path counters',
    },
  ],
  tables: [
    {
      title: 'Paths by host',
      columns: [
        { label: 'Working', unit: 'paths' },
        { label: 'Down', unit: '' },
      ],
      rows: [
        { object: { kind: 'host', id: 1, name: 'esx-01' }, cells: [4, 'vmhba2'], is_odd: true },
        { object: { kind: 'host', id: 2, name: 'esx-02' }, cells: [8, null], is_odd: false },
      ],
    },
  ],
  advice_list: [
    {
      kind: 'repair',
      text: 'Repair the paths that are down',
      why: 'Fewer paths mean less redundancy.',
      commands: [
        {
          on: { kind: 'host', id: 1, name: 'esx-01' },
          where: 'ESXi Shell or SSH',
          change: 'esxcli storage core adapter rescan --all',
          undo: '',
          shows: 'esxcli storage core path list',
          current: '4 of 8 paths',
          target: '8 paths',
        },
      ],
      takes_effect: 'live',
      agree: ['storage', 'virtualization'],
      next_limit: '',
    },
    {
      kind: 'setting',
      text: 'Prefer the local array',
      why: '',
      commands: [],
      takes_effect: null,
      agree: [],
      next_limit: 'array ports',
    },
  ],
  affected: [{ kind: 'vm', id: 3, name: 'mail-01' }],
  affected_text: '12 VMs with disks on it',
  blind_spots: ['Paths that vanished from every host'],
  references: [{ title: 'KB 316417', url: 'https://example.com/kb', date: '2024-09' }],
  raised_when: 'a path is dead',
  cleared_when: 'all paths work',
  history: [{ at: '2026-11-24T09:00:00Z', before: null, after: 'open', by: '', note: '' }],
}

/** Which load tool a file is of and, where its files do not say, the time zone and the date of the run. */

import { NativeSelect, TextInput } from '@mantine/core'
import * as testRunsCopy from '../../copy/testRuns'
import { OFFSETS_MINUTES, offsetText } from '../imports/offsets'
import { type Choice, hasOffset, hasStart, type ResultTool, TOOLS } from './resultTools'

export interface VirtualDisk {
  id: number
  label: string
}

/** As the API takes it. */
const MOST_AHEAD_S = 1_000_000

interface ResultChoiceProps {
  /** Left out: nothing to choose one of. */
  disks?: readonly VirtualDisk[] | undefined
  choice: Choice
  onChoice: (choice: Choice) => void
}

export function ResultChoice({ disks, choice, onChoice }: ResultChoiceProps) {
  return (
    <div className="row wrap inset gap-wrap">
      <NativeSelect
        size="xs"
        label={testRunsCopy.toolChoice}
        data={TOOLS.map((tool) => ({ value: tool, label: testRunsCopy.toolNames[tool] }))}
        value={choice.tool}
        onChange={(event) => onChoice({ ...choice, tool: event.currentTarget.value as ResultTool })}
      />
      {disks !== undefined && (
        <NativeSelect
          size="xs"
          label={testRunsCopy.diskChoice}
          title={testRunsCopy.diskHint}
          data={[
            { value: '', label: testRunsCopy.wholeVm },
            ...disks.map(({ id, label }) => ({ value: String(id), label })),
          ]}
          value={choice.disk_id === null ? '' : String(choice.disk_id)}
          onChange={({ currentTarget: { value } }) =>
            onChoice({ ...choice, disk_id: value === '' ? null : Number(value) })
          }
        />
      )}
      {hasOffset(choice.tool) && (
        <NativeSelect
          size="xs"
          label={testRunsCopy.offsetChoice}
          title={testRunsCopy.offsetHint}
          data={OFFSETS_MINUTES.map((minutes) => ({ value: String(minutes), label: offsetText(minutes) }))}
          value={String(choice.offset_minutes)}
          onChange={(event) => onChoice({ ...choice, offset_minutes: Number(event.currentTarget.value) })}
        />
      )}
      {hasStart(choice.tool) && (
        <TextInput
          size="xs"
          type="datetime-local"
          step={1}
          label={testRunsCopy.startedChoice}
          title={testRunsCopy.startedHint}
          value={choice.started}
          onChange={(event) => onChoice({ ...choice, started: event.currentTarget.value })}
        />
      )}
      <TextInput
        size="xs"
        w={140}
        type="number"
        step="any"
        min={-MOST_AHEAD_S}
        max={MOST_AHEAD_S}
        label={testRunsCopy.aheadChoice}
        title={testRunsCopy.aheadHint}
        rightSection="s"
        value={choice.ahead_s}
        onChange={({ currentTarget: { value, valueAsNumber } }) =>
          onChoice({ ...choice, ahead_s: value === '' ? '' : valueAsNumber })
        }
      />
    </div>
  )
}

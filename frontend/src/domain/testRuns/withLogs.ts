/** Logs belong to the result beside them: files that were dropped together with a log are sent as one. Pure but for reading files. */

import * as testRunsCopy from '../../copy/testRuns'
import { tarOf } from '../imports/tar'
import type { ResultTool } from './resultTools'

const isLog = ({ name }: File) => /\.log(\.gz)?$/.test(name)

export function withLogs(files: readonly File[], tool: ResultTool): readonly File[] {
  const logs = files.filter(isLog)
  if (tool !== 'fio' || files.length < 2 || logs.length === 0) return files
  const [first, ...others] = [...files.filter((file) => !isLog(file)), ...logs]
  if (first === undefined) return files
  const count = isLog(first) ? others.length : logs.length
  return [tarOf([first, ...others], testRunsCopy.bundleName(first.name, count))]
}

/** How far an upload is, how fast it goes and how long it still takes: seen every second, spoken now and then and when that changes. */

import { useState } from 'react'
import * as importsCopy from '../../copy/imports'
import { formatSeconds } from '../../lib/time'
import { formatBytesPerSecond, formatDiskSize } from '../../lib/units'
import { useNow } from '../../lib/useNow'
import { type Pace, paceOf, roundLeft, type Track } from './pace'
import styles from './Uploads.module.css'

const SPOKEN_EVERY_MS = 20_000

interface UploadPaceProps {
  /** What is uploaded, as its bar is called. */
  name: string
  size: number
  sent: number
  track: Track
}

export function UploadPace({ name, size, sent, track }: UploadPaceProps) {
  const now_ms = useNow()
  const pace = paceOf(track, size, now_ms)
  const words = paceText(sent, size, pace)
  return (
    <>
      <p>{words}</p>
      <progress className={`${styles.progress} full`} max={size} value={sent} aria-label={name} />
      <span className="spoken" role="status">
        {useSpoken(`${name}: ${words}`, pace.isWaiting, now_ms)}
      </span>
    </>
  )
}

function paceText(sent: number, size: number, { isWaiting, rate_bytes_per_s, left_s }: Pace): string {
  const parts = [importsCopy.progress(formatDiskSize(sent), formatDiskSize(size))]
  if (isWaiting) parts.push(importsCopy.waiting)
  if (rate_bytes_per_s !== null) parts.push(formatBytesPerSecond(Math.round(rate_bytes_per_s)))
  if (left_s !== null) parts.push(importsCopy.left(formatSeconds(roundLeft(left_s))))
  return parts.join(', ')
}

/** The words as they were some seconds ago: new ones now and then, and at once where the upload stalls or goes on. */
function useSpoken(words: string, isWaiting: boolean, now_ms: number): string {
  const [last, setLast] = useState({ words, isWaiting, at_ms: now_ms })
  if (last.isWaiting !== isWaiting || now_ms - last.at_ms >= SPOKEN_EVERY_MS)
    setLast({ words, isWaiting, at_ms: now_ms })
  return last.words
}

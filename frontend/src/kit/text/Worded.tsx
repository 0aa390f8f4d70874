/** A sentence of the server, with the commands that it names between back-ticks set as such. */

import styles from './Worded.module.css'

const COMMAND = /`([^`]+)`/

export function Worded({ children }: { children: string }) {
  // Split by its one group, every second piece is a command.
  const pieces = children.split(COMMAND)
  return pieces.map((piece, index) =>
    index % 2 === 0 ? (
      piece
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one sentence never change places
      <code key={index} className={styles.command}>
        {piece}
      </code>
    ),
  )
}

import { Link, useParams } from '@tanstack/react-router'
import { type CSSProperties, useEffect } from 'react'
import { LiveProvider } from '../../api/live'
import * as overviewCopy from '../../copy/overview'
import * as wallsCopy from '../../copy/walls'
import { kindInAddress } from '../../domain/kinds'
import { BOARD_SECONDS, BOARDS, DISTANCE_METERS, SCREEN_INCHES } from '../../domain/parameters'
import { EmptyState } from '../../kit/state/DataState'
import { serverNow } from '../../lib/clock'
import { visibleName } from '../../lib/text'
import { useParameter } from '../../lib/url'
import { useNow } from '../../lib/useNow'
import { type BoardName, parseBoards, turnAt, turnSeconds, wallSize } from './boards'
import { EnvironmentBoard } from './EnvironmentBoard'
import { ObjectBoard } from './ObjectBoard'

/** A screen on a wall: no menu, nothing to click, readable from four meters. */
export default function WallPage() {
  const { board = '' } = useParams({ strict: false }) as { board?: string }
  const [list] = useParameter(BOARDS)
  const { boards, unknown } = parseBoards(board === 'rotate' ? list : board)
  useEffect(() => {
    document.title = wallsCopy.documentTitle
  }, [])
  if (boards.length === 0 || unknown.length > 0) return <NoBoard names={unknown.length > 0 ? unknown : [board]} />
  return (
    <LiveProvider frozen={false}>
      <Turning boards={boards} />
    </LiveProvider>
  )
}

/** The board whose turn it is, in letters for this screen and distance. */
function Turning({ boards }: { boards: readonly BoardName[] }) {
  const [every] = useParameter(BOARD_SECONDS)
  const [screen] = useParameter(SCREEN_INCHES)
  const [distance] = useParameter(DISTANCE_METERS)
  useNow()
  const at = turnAt(serverNow(), boards.length, turnSeconds(every))
  const board = boards[at] as BoardName
  const { font_vh, rows } = wallSize({ screen_in: Number(screen), distance_m: Number(distance) })
  const turn = boards.length > 1 ? wallsCopy.turn(at + 1, boards.length) : undefined
  return (
    <div style={{ '--font': font_vh, '--rows': rows } as CSSProperties}>
      {board.show === 'one' ? (
        <ObjectBoard key={board.name} of={board.of} id={board.id} rows={rows} turn={turn} />
      ) : (
        <EnvironmentBoard
          key={board.name}
          title={titleOf(board)}
          of={board.show === 'group' ? 'vms' : board.of}
          group={board.show === 'group' ? board.group : undefined}
          rows={rows}
          turn={turn}
        />
      )}
    </div>
  )
}

const titleOf = (board: BoardName) =>
  board.show === 'group'
    ? wallsCopy.groupTitle(visibleName(board.group.label), visibleName(board.group.value))
    : (kindInAddress(board.name)?.titles ?? overviewCopy.environment)

function NoBoard({ names }: { names: readonly string[] }) {
  return (
    <EmptyState
      heading
      title={wallsCopy.noBoard(names.map((name) => `“${name}”`).join(', '))}
      text={wallsCopy.boardNames}
      action={<Link to={'/wall/environment' as string}>{wallsCopy.openEnvironment}</Link>}
    />
  )
}

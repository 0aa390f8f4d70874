import { Link, useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { LiveProvider } from '../../api/live'
import { EmptyState } from '../../components/DataState'
import { EstateBoard } from './EstateBoard'

/** A screen on a wall: no menu, nothing to click, readable from four metres. */
export default function WallPage() {
  const { board = '' } = useParams({ strict: false }) as { board?: string }
  useEffect(() => {
    document.title = 'Wall · Gavel'
  }, [])
  if (board !== 'estate')
    return (
      <EmptyState
        heading
        title={`There is no board “${board}”`}
        text="The board of the whole estate is the one that there is."
        action={<Link to={'/wall/estate' as string}>Open it</Link>}
      />
    )
  return (
    <LiveProvider frozen={false}>
      <EstateBoard />
    </LiveProvider>
  )
}

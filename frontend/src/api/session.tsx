/** Who may change things. Reading is open on loopback; writing needs the admin's cookie. */

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useMemo, useState } from 'react'
import { OFFLINE } from '../lib/offline'
import { signIn, signOut, signOutEverywhere } from './commands'
import { sessionQuery } from './queries'
import type { SignedIn } from './types'

interface SessionValue {
  isAdmin: boolean
  /** False until the server has said who we are, so that nothing flashes. */
  known: boolean
  setupPending: boolean
  /** Not even reading is free here. */
  isStranger: boolean
  isDialogOpen: boolean
  openDialog: () => void
  closeDialog: () => void
}

const SessionContext = createContext<SessionValue | null>(null)

export function SessionProvider({ children }: { children: ReactNode }) {
  const { data } = useQuery(sessionQuery())
  const [isDialogOpen, setDialogOpen] = useState(false)
  const value = useMemo(
    () => ({
      isAdmin: data?.role === 'admin' && OFFLINE === null,
      known: data !== undefined,
      setupPending: data?.setup_pending ?? false,
      isStranger: data?.role === 'stranger',
      isDialogOpen: isDialogOpen || data?.role === 'stranger',
      openDialog: () => setDialogOpen(true),
      closeDialog: () => setDialogOpen(false),
    }),
    [data, isDialogOpen],
  )
  return <SessionContext value={value}>{children}</SessionContext>
}

export function useSession(): SessionValue {
  const value = useContext(SessionContext)
  if (value === null) throw new Error('useSession needs a SessionProvider above it')
  return value
}

export function useSignIn(onDone: (answer: SignedIn) => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (token: string) => signIn(token.trim()),
    onSuccess: async (answer) => {
      // What was refused before may be read now.
      await client.invalidateQueries()
      onDone(answer)
    },
  })
}

export function useSignOut() {
  return useEndOfSession(signOut)
}

/** Ends the sessions of all browsers, this one's included. */
export function useSignOutEverywhere() {
  return useEndOfSession(signOutEverywhere)
}

function useEndOfSession(end: () => Promise<unknown>) {
  const client = useQueryClient()
  return useMutation({ mutationFn: end, onSettled: () => client.invalidateQueries({ queryKey: ['session'] }) })
}

/** Exchanges a token for the admin's cookie: typed by hand, or brought along by the address that the first start prints. */

import { Alert, Button, Code, CopyButton, Modal, PasswordInput, Stack } from '@mantine/core'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { useSession, useSignIn } from '../api/session'
import * as commonCopy from '../copy/common'
import * as sessionCopy from '../copy/session'
import { Icon } from '../kit/mark/Icon'
import { Worded } from '../kit/text/Worded'

interface SignInDialogProps {
  opened: boolean
  setupToken: string | null
}

export default function SignInDialog({ opened, setupToken }: SignInDialogProps) {
  const { openDialog, closeDialog, setupPending, isStranger } = useSession()
  const [token, setToken] = useState('')
  const [adminToken, setAdminToken] = useState<string | null>(null)
  const signIn = useSignIn((answer) => {
    setToken('')
    if (answer.admin_token === null) closeDialog()
    else setAdminToken(answer.admin_token)
  })

  // A setup token works once: React's double effects in development must not spend it twice.
  const spent = useRef(false)
  const { mutate } = signIn
  useEffect(() => {
    if (setupToken === null || spent.current) return
    spent.current = true
    openDialog()
    mutate(setupToken)
  }, [setupToken, openDialog, mutate])

  function close() {
    closeDialog()
    setAdminToken(null)
    signIn.reset()
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    signIn.mutate(token)
  }

  return (
    <Modal
      opened={opened}
      onClose={close}
      title={adminToken !== null ? sessionCopy.adminTitle : isStranger ? sessionCopy.signIn : sessionCopy.signInToEdit}
      withCloseButton={!isStranger}
      closeButtonProps={{ 'aria-label': commonCopy.close }}
    >
      {adminToken !== null ? (
        <AdminToken token={adminToken} onClose={close} />
      ) : (
        <form onSubmit={submit}>
          <Stack gap="md">
            <p className="muted">
              {isStranger && sessionCopy.readingNeedsToken}
              {setupPending ? sessionCopy.setupNeeded : sessionCopy.pasteToken}
            </p>
            {signIn.error && (
              <Alert color="red" variant="outline" icon={<Icon name="warning" />} title={sessionCopy.signInFailed}>
                <Worded>{signIn.error.message}</Worded>
              </Alert>
            )}
            <PasswordInput
              label={sessionCopy.token}
              value={token}
              onChange={(event) => setToken(event.currentTarget.value)}
              autoComplete="current-password"
              data-autofocus
              required
              minLength={16}
              maxLength={200}
            />
            <Button type="submit" loading={signIn.isPending}>
              {sessionCopy.signIn}
            </Button>
          </Stack>
        </form>
      )}
    </Modal>
  )
}

function AdminToken({ token, onClose }: { token: string; onClose: () => void }) {
  return (
    <Stack gap="md">
      <p>
        {sessionCopy.adminNow} <strong>{sessionCopy.shownOnce}</strong>.
      </p>
      <Code block>{token}</Code>
      <CopyButton value={token}>
        {({ copied, copy }) => (
          <Button variant="default" onClick={copy} leftSection={<Icon name={copied ? 'check' : 'copy'} />}>
            {copied ? commonCopy.copied : sessionCopy.copyToken}
          </Button>
        )}
      </CopyButton>
      <Button onClick={onClose}>{sessionCopy.tokenSaved}</Button>
    </Stack>
  )
}

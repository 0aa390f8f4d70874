/** Exchanges a token for the admin's cookie: typed by hand, or brought along by the address that the first start prints. */

import { Alert, Button, Code, CopyButton, Modal, PasswordInput, Stack } from '@mantine/core'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { useSession, useSignIn } from '../api/session'
import { Icon } from '../components/Icon'
import { Worded } from '../components/Worded'

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
      title={
        adminToken !== null ? 'You are the admin of this Gavel' : isStranger ? 'Sign in' : 'Sign in to change things'
      }
      withCloseButton={!isStranger}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {adminToken !== null ? (
        <AdminToken token={adminToken} onClose={close} />
      ) : (
        <form onSubmit={submit}>
          <Stack gap="md">
            <p className="muted">
              {isStranger &&
                'This Gavel is open to its network, so reading needs a token, too: the admin’s, or one for wall screens. '}
              {setupPending
                ? 'This Gavel was never signed in to. The first start printed an address with a setup token; open that address, or paste the token here.'
                : 'Paste the admin token. It was shown once, when the setup token was used.'}
            </p>
            {signIn.error && (
              <Alert color="red" variant="outline" icon={<Icon name="warning" />} title="Not signed in">
                <Worded>{signIn.error.message}</Worded>
              </Alert>
            )}
            <PasswordInput
              label="Token"
              value={token}
              onChange={(event) => setToken(event.currentTarget.value)}
              autoComplete="current-password"
              data-autofocus
              required
              minLength={16}
              maxLength={200}
            />
            <Button type="submit" loading={signIn.isPending}>
              Sign in
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
        This browser may now change sources. For scripts and other browsers keep this admin token;{' '}
        <strong>it is shown only this once</strong>.
      </p>
      <Code block>{token}</Code>
      <CopyButton value={token}>
        {({ copied, copy }) => (
          <Button variant="default" onClick={copy} leftSection={<Icon name={copied ? 'check' : 'copy'} />}>
            {copied ? 'Copied' : 'Copy the token'}
          </Button>
        )}
      </CopyButton>
      <Button onClick={onClose}>I have kept it</Button>
    </Stack>
  )
}

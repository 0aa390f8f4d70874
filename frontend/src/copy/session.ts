/** Sign-in and sessions. */

export const adminHint = 'Full access. Click to sign out.'
export const readOnlyHint = 'Read-only. Changes need the admin token.'
export const signOut = 'Sign out'
export const signIn = 'Sign in'
export const adminTitle = 'Admin access'
export const signInToEdit = 'Sign in to edit'
export const readingNeedsToken =
  'This Gavel is reachable from its network, so reading needs a token: the admin token, or one for wall screens. '
export const setupNeeded =
  'This server has no admin yet. The first start printed an address with a setup token; open that address, or paste the token below.'
export const pasteToken = 'Paste the admin token. It was shown once, when the setup token was used.'
export const signInFailed = 'Sign-in failed'
export const token = 'Token'
export const adminNow = 'This browser now has admin access. For scripts and other browsers, save this admin token;'
export const shownOnce = 'it is shown only once'
export const copyToken = 'Copy token'
export const tokenSaved = 'I have saved it'
export const signOutEverywhere = 'Sign out everywhere'
export const signOutEverywhereText =
  'Ends all admin sessions, this one included. To replace the admin token: gavel token renew.'
export const signOutFailed = 'Sign-out failed'
export const readOnlySetup = (action: string) =>
  `Read-only. To ${action}, open the address with the setup token that the first start printed.`
export const readOnly = (action: string) => `Read-only. To ${action}, sign in with the admin token.`
export const addSources = 'add sources'

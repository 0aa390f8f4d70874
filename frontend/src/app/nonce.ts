import { setNonce } from 'get-nonce'

/** The nonce that the server gave this page: without it the policy refuses a style element. */
export function pageNonce(): string {
  return document.querySelector<HTMLElement>('script[nonce]')?.nonce ?? ''
}

/** Dialogs lock the page's scrolling by a style element of their own; its library asks here for the nonce. */
export function shareNonce(): void {
  setNonce(pageNonce())
}

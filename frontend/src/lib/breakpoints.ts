/** The four widths of a screen at which pages change, in px. Styles have them as `@media (--phone)` and so on (vite.config.ts). */
const BREAKPOINTS_PX = { phone: 700, tablet: 900, desk: 1200, wide: 1400 } as const

type Breakpoint = keyof typeof BREAKPOINTS_PX

/** A phone and a tablet are narrower than their width, a desk and a wide screen at least as wide. */
export const MEDIA = {
  '--phone': `(width < ${BREAKPOINTS_PX.phone}px)`,
  '--tablet': `(width < ${BREAKPOINTS_PX.tablet}px)`,
  '--desk': `(width >= ${BREAKPOINTS_PX.desk}px)`,
  '--wide': `(width >= ${BREAKPOINTS_PX.wide}px)`,
} as const satisfies Record<`--${Breakpoint}`, string>

/** Of screens that are at least so wide. */
export const atLeast = (breakpoint: Breakpoint): string => `(min-width: ${BREAKPOINTS_PX[breakpoint]}px)`

/** Whether so wide a screen is at least as wide. */
export const isAtLeast = (breakpoint: Breakpoint, width_px: number): boolean => width_px >= BREAKPOINTS_PX[breakpoint]

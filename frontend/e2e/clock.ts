/** The time of the Gavel that is looked at: it may hold an hour that was. */

const HELD_AT = process.env.GAVEL_E2E_AT_S

export const gavelNow = (): number => (HELD_AT === undefined ? Date.now() : Number(HELD_AT) * 1000)

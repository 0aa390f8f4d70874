/** The time of the Gavel that is looked at, by the variable that sets its clock: held at an instant, or shifted. */

const SET = process.env.GAVEL_TEST_CLOCK ?? '+0'

export const gavelNow = (): number =>
  SET.startsWith('@') ? Number(SET.slice(1)) * 1000 : Date.now() + Number(SET) * 1000

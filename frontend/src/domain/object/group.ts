/** A group of VMs as addresses and filters have it: "application=finance". */

export interface GroupName {
  label: string
  value: string
}

/** Null where it names no group. */
export function groupInAddress(text: string): GroupName | null {
  const at = text.indexOf('=')
  const [label, value] = [text.slice(0, at).trim(), text.slice(at + 1).trim()]
  return at < 1 || label === '' || value === '' ? null : { label, value }
}

export const groupText = ({ label, value }: GroupName) => `${label}=${value}`

/** What the address of its page says, at `/group`. */
export const groupSearch = (group: GroupName) => ({ group: groupText(group) })

/** What a wall's address calls its board. */
export const groupBoard = (group: GroupName) => `group:${encodeURIComponent(groupText(group))}`

/** The group of a wall's board; null where it is another board, or names none. */
export function groupOfBoard(name: string): GroupName | null {
  if (!name.startsWith('group:')) return null
  try {
    return groupInAddress(decodeURIComponent(name.slice('group:'.length)))
  } catch {
    return null // a lone per cent sign
  }
}

import type { SourceKind, SourceOut } from '../../api/types'

/** The kinds of which there is no source yet: what a newcomer adds next. */
export const missingKinds = (kinds: readonly SourceKind[], sources: readonly Pick<SourceOut, 'kind'>[]): SourceKind[] =>
  kinds.filter(({ kind }) => sources.every((source) => source.kind !== kind))

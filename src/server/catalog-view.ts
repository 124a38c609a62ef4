import type { Catalog } from '../model/index.ts'

/** Which catalog a client's requests are about. */
export interface CatalogView {
  forCall(): Catalog
  /** `nextPage`: the client continues a list it has begun. */
  forList(nextPage: boolean): Catalog
  /** What it keeps although there is a newer one. */
  held(): Catalog | undefined
}

/** Requests of the stateless era always see the newest. */
export function newestView(newest: () => Catalog): CatalogView {
  return { forCall: newest, forList: newest, held: () => undefined }
}

/** A connection keeps what it last listed, so that a reload changes nothing under its feet (reading i). */
export function keptView(newest: () => Catalog, onLetGo: () => void = () => {}): CatalogView {
  let listed: Catalog | undefined
  return {
    forCall: () => listed ?? newest(),
    forList: (nextPage) => {
      if (nextPage && listed) return listed
      const before = listed
      listed = newest()
      if (before && before !== listed) onLetGo()
      return listed
    },
    held: () => (listed === newest() ? undefined : listed),
  }
}

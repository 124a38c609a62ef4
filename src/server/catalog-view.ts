import type { Catalog } from '../model/index.ts'

/** Which catalog a client's requests are about. */
export interface CatalogView {
  forCall(): Catalog
  /** `nextPage`: the client continues a list it has begun. */
  forList(nextPage: boolean): Catalog
}

/** Requests of the stateless era always see the newest. */
export function newestView(newest: () => Catalog): CatalogView {
  return { forCall: newest, forList: newest }
}

/** A connection keeps what it last listed, so that a reload changes nothing under its feet (reading i). */
export function keptView(newest: () => Catalog): CatalogView {
  let listed: Catalog | undefined
  return {
    forCall: () => listed ?? newest(),
    forList: (nextPage) => {
      if (!nextPage || !listed) listed = newest()
      return listed
    },
  }
}

// The kinds of pages. A page of any other kind is a row of its own (`portal-page.ts`), which `page` answers.

import type { Right } from '../../../../people/portal-users/rights.ts';
import { type DetailKind, detailPages } from './detail.ts';
import { type FormPageKind, formPages, type QuestionKind, questionPages } from './form.ts';
import { type PageGroup, type PagePlace, type PortalPath, pageOf, type Shown } from './group.ts';
import { type ListKind, listPages } from './list.ts';

/** What a page of a kind declares beside its path and who may open it. */
type Beside<Kind extends PagePlace> = Omit<Kind, keyof PagePlace>;
type Who = PagePlace['right'];

export function pagesOf(group: PageGroup) {
	return {
		list: <Row>(path: PortalPath, right: Right, kind: Beside<ListKind<Row>>) =>
			listPages<Row>(group, { ...kind, path, right }),
		detail: <Thing>(path: PortalPath, right: Who, kind: Beside<DetailKind<Thing>>) =>
			detailPages<Thing>(group, { ...kind, path, right }),
		form: <Thing>(path: PortalPath, right: Who, kind: Beside<FormPageKind<Thing>>) =>
			formPages<Thing>(group, { ...kind, path, right }),
		question: <Thing>(path: PortalPath, right: Who, kind: Beside<QuestionKind<Thing>>) =>
			questionPages<Thing>(group, { ...kind, path, right }),
		page: (shown: Shown) => pageOf(group, shown),
	};
}

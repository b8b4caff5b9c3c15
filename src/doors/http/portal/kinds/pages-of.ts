// The kinds of pages. A page of any other kind is a row of its own (`portal-page.ts`), which `page` answers.

import { type DetailKind, detailPages } from './detail.ts';
import { type FormPageKind, formPages, type QuestionKind, questionPages } from './form.ts';
import { type PageGroup, pageOf, type Shown } from './group.ts';
import { type ListKind, listPages } from './list.ts';

export function pagesOf(group: PageGroup) {
	return {
		list: <Row>(kind: ListKind<Row>) => listPages(group, kind),
		detail: <Thing>(kind: DetailKind<Thing>) => detailPages(group, kind),
		form: <Thing>(kind: FormPageKind<Thing>) => formPages(group, kind),
		question: <Thing>(kind: QuestionKind<Thing>) => questionPages(group, kind),
		page: (shown: Shown) => pageOf(group, shown),
	};
}

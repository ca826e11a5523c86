/** Whether something is in sight: in the window, and not scrolled away. */

/** How many steps of a part's share are noticed. */
const STEPS = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];

/** Tell now, and whenever it changes, what is to be seen of an element. Returns how to stop. */
export function watch(element: Element, tell: (seen: IntersectionObserverEntry) => void): () => void {
  const observer = new IntersectionObserver((entries) => tell(entries.at(-1)!), { threshold: STEPS });
  observer.observe(element);
  return () => observer.disconnect();
}

/** Whether the lower edge of an element is to be seen, where what came last stands. */
export const isAtEnd = ({
  isIntersecting,
  intersectionRect,
  boundingClientRect,
}: IntersectionObserverEntry) => isIntersecting && intersectionRect.bottom >= boundingClientRect.bottom - 1;

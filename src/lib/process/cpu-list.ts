/** `0-3,8` as numbers, in the order written; parts that are no numbers are left out. See cpuset(7), "List format". */
export function parseCpuList(text: string): readonly number[] {
  return text.split(',').flatMap((part) => {
    const [first, last = first] = part.split('-').map(Number);
    if (first === undefined || last === undefined || Number.isNaN(first) || part === '') return [];
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

/** Whether two lists name the same CPUs: `0-2` and `2,0,1` do. */
export function sameCpus(one: string, other: string): boolean {
  const plain = (text: string) => [...new Set(parseCpuList(text))].sort((a, b) => a - b).join(',');
  return plain(one) === plain(other);
}

import { execFileSync } from 'node:child_process'

/** Makes a repository of a folder, with everything in one commit and, if asked, a tag on it. */
export function commitAll(folder, tag) {
  const git = (...words) =>
    execFileSync('git', ['-c', 'user.name=orla', '-c', 'user.email=orla@localhost', ...words], {
      cwd: folder,
      stdio: 'ignore',
    })
  git('init', '--quiet')
  git('add', '.')
  git('commit', '--quiet', '-m', 'content')
  if (tag) git('tag', tag)
}

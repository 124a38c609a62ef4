import { describe, expect, it } from 'vitest'
import { groupFolders } from './group-folders.ts'

const UNIFIED = '24 21 0:22 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n'

describe('folders for groups that count', () => {
  it('Q91: the own group and those around it, the nearest first', () => {
    expect(groupFolders('0::/user.slice/user-0.slice/session-3.scope\n', UNIFIED)).toEqual([
      { folder: '/sys/fs/cgroup/user.slice/user-0.slice/session-3.scope', version: 2 },
      { folder: '/sys/fs/cgroup/user.slice/user-0.slice', version: 2 },
      { folder: '/sys/fs/cgroup/user.slice', version: 2 },
      { folder: '/sys/fs/cgroup', version: 2 },
    ])
  })

  it('Q91: of the older kind only the one that counts processes', () => {
    const mounts = [
      '38 31 0:35 / /sys/fs/cgroup/blkio rw - cgroup cgroup rw,blkio',
      '39 31 0:36 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids',
    ].join('\n')
    expect(groupFolders('8:pids:/a/b\n7:blkio:/\n0::/\n', mounts)).toEqual([
      { folder: '/sys/fs/cgroup/pids/a/b', version: 1 },
    ])
  })

  it('Q91: in a container, as its mount shows it', () => {
    const mounts = '39 31 0:36 /docker/x /sys/fs/cgroup/pids ro - cgroup cgroup rw,pids\n'
    expect(groupFolders('8:pids:/docker/x/y\n', mounts)).toEqual([
      { folder: '/sys/fs/cgroup/pids/y', version: 1 },
    ])
    expect(groupFolders('8:pids:/elsewhere\n', mounts)).toEqual([])
  })

  it('Q91: none where nothing is mounted or the group lies outside', () => {
    expect(groupFolders('0::/../../other\n', UNIFIED)).toEqual([])
    expect(groupFolders('', UNIFIED)).toEqual([])
    expect(groupFolders('0::/\n', '')).toEqual([])
    expect(groupFolders('0::/\n', '24 21 0:22 / /odd\\040place rw - cgroup2 cgroup2 rw\nnonsense\n')).toEqual(
      [],
    )
  })
})

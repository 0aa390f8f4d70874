# Sends the disk counters of this Windows guest to Gavel: one push, then it ends. Windows PowerShell 5.1 or newer.
#
#   .\gavel-guest.ps1            push once
#   .\gavel-guest.ps1 print      print the lines, push nothing
#   .\gavel-guest.ps1 install    as administrator: copy this file to %ProgramFiles%\Gavel and push every minute by a scheduled task
#   .\gavel-guest.ps1 remove     as administrator: end the task and remove the file
#
# Codes: 0 pushed, 1 something is absent here, 2 Gavel refused it, 3 Gavel cannot be reached.
# This file holds the token: install lets only administrators and the system read it.
#
# What it sends, one line per physical disk:
# gavel_disk,host=SQL01,bios_uuid=42374BE1-0B3C-8A5E-7C11-AA90FF21CD03,boot_id=118,ip=192.0.2.7\ 2001:db8::7,name=PhysicalDisk\ 0,serial=6000c294e9da41377ffbeda45b97abeb,scsi=0:0:0:0 reads=5120i,writes=981i,read_bytes=167772160i,write_bytes=8036352i,read_time_100ns=30720000i,write_time_100ns=9810000i,queue_time_100ns=40530000i,capacity_bytes=107374182400i 1732400000123456700
# gavel_disk,host=SQL01,bios_uuid=42374BE1-0B3C-8A5E-7C11-AA90FF21CD03,boot_id=118,ip=192.0.2.7\ 2001:db8::7,name=PhysicalDisk\ 1,scsi=0:0:1:0 reads=12i,writes=0i,read_bytes=49152i,write_bytes=0i,read_time_100ns=60000i,write_time_100ns=0i,queue_time_100ns=60000i 1732400000123456700

param([ValidateSet('push', 'print', 'install', 'remove')][string]$Action = 'push')

Set-StrictMode -Version 2
$ErrorActionPreference = 'Stop'
$Url = '@ADDRESS@'
$Token = '@TOKEN@'
$Task = 'Gavel guest'
$Folder = Join-Path $env:ProgramFiles 'Gavel'
$Self = Join-Path $Folder 'gavel-guest.ps1'

function Stop-With([int]$Code, [string]$Message) {
    [Console]::Error.WriteLine("gavel-guest: $Message")
    exit $Code
}

# ",name=value" as the line protocol has it; nothing where the value is empty.
function Format-Tag([string]$Name, $Value) {
    $text = ([string]$Value).Trim().TrimEnd('\')
    if ($text -eq '') { return '' }
    return ',' + $Name + '=' + ($text -replace '([ ,=])', '\$1')
}

# Changes at every start; nothing where Windows does not count its starts.
function Get-BootId {
    $key = 'HKLM:\SYSTEM\CurrentControlSet\Control\Session Manager\Memory Management\PrefetchParameters'
    $found = Get-ItemProperty -Path $key -Name BootId -ErrorAction SilentlyContinue
    if ($found) { return $found.BootId }
    return ''
}

function Get-Addresses {
    $adapters = @(Get-CimInstance Win32_NetworkAdapterConfiguration -Filter 'IPEnabled = TRUE')
    $all = @($adapters | ForEach-Object { $_.IPAddress } | Where-Object { $_ -and $_ -notlike 'fe80:*' })
    return (@($all | Select-Object -First 8) -join ' ')
}

function Get-Lines {
    $guest = (Format-Tag 'host' $env:COMPUTERNAME) +
        (Format-Tag 'bios_uuid' (Get-CimInstance Win32_ComputerSystemProduct).UUID) +
        (Format-Tag 'boot_id' (Get-BootId)) +
        (Format-Tag 'ip' (Get-Addresses))
    $drives = @{}
    foreach ($drive in @(Get-CimInstance Win32_DiskDrive)) { $drives[[string]$drive.Index] = $drive }
    # Raw counters have English names in every language. Times are sums in units of 100 ns; the latency counters wrap at 32 bits.
    foreach ($disk in @(Get-CimInstance Win32_PerfRawData_PerfDisk_PhysicalDisk)) {
        if ($disk.Name -notmatch '^(\d+)( |$)') { continue }
        $number = $Matches[1]
        $line = 'gavel_disk' + $guest + (Format-Tag 'name' "PhysicalDisk $number")
        $drive = $drives[$number]
        $capacity = ''
        if ($drive) {
            $line += Format-Tag 'serial' $drive.SerialNumber
            if ($drive.InterfaceType -eq 'SCSI') {
                $line += Format-Tag 'scsi' ('{0}:{1}:{2}:{3}' -f $drive.SCSIPort, $drive.SCSIBus, $drive.SCSITargetId, $drive.SCSILogicalUnit)
            }
            if ($drive.Size) { $capacity = ",capacity_bytes=$($drive.Size)i" }
        }
        # From 100 ns since 1601 to ns since 1970.
        $at = ([decimal]$disk.Timestamp_Sys100NS - 116444736000000000) * 100
        $line + " reads=$($disk.DiskReadsPersec)i,writes=$($disk.DiskWritesPersec)i" +
            ",read_bytes=$($disk.DiskReadBytesPersec)i,write_bytes=$($disk.DiskWriteBytesPersec)i" +
            ",read_time_100ns=$($disk.PercentDiskReadTime)i,write_time_100ns=$($disk.PercentDiskWriteTime)i" +
            ",queue_time_100ns=$($disk.AvgDiskQueueLength)i$capacity " +
            $at.ToString('0', [Globalization.CultureInfo]::InvariantCulture)
    }
}

# What Gavel answered, or nothing where no answer came.
function Get-Answer($Failure) {
    if ($Failure.ErrorDetails -and $Failure.ErrorDetails.Message) { return $Failure.ErrorDetails.Message }
    return $Failure.Exception.Message
}

function Send-Lines {
    $lines = @(Get-Lines)
    if ($lines.Count -eq 0) { Stop-With 1 'no physical disk in the performance counters (lodctr /R builds them again)' }
    [Net.ServicePointManager]::SecurityProtocol = [Net.ServicePointManager]::SecurityProtocol -bor [Net.SecurityProtocolType]::Tls12
    $request = @{
        Uri = "$Url/api/v2/write"
        Method = 'Post'
        Headers = @{ Authorization = "Token $Token" }
        ContentType = 'text/plain; charset=utf-8'
        Body = [Text.Encoding]::UTF8.GetBytes(($lines -join "`n"))
        TimeoutSec = 15
        UseBasicParsing = $true
    }
    try {
        Invoke-WebRequest @request | Out-Null
    } catch {
        $response = $null
        if ($_.Exception.PSObject.Properties['Response']) { $response = $_.Exception.Response }
        if ($response) { Stop-With 2 "$Url refused it with $([int]$response.StatusCode): $(Get-Answer $_)" }
        Stop-With 3 "${Url} cannot be reached: $($_.Exception.Message)"
    }
}

function Test-Administrator {
    $me = New-Object Security.Principal.WindowsPrincipal([Security.Principal.WindowsIdentity]::GetCurrent())
    return $me.IsInRole([Security.Principal.WindowsBuiltInRole]::Administrator)
}

function Install-Task {
    if (-not (Test-Administrator)) { Stop-With 1 'install has to be run by an administrator' }
    New-Item -ItemType Directory -Force -Path $Folder | Out-Null
    # Administrators and the system, by their numbers: their names differ by language.
    & icacls.exe $Folder /inheritance:r /grant:r '*S-1-5-32-544:(OI)(CI)F' '*S-1-5-18:(OI)(CI)F' | Out-Null
    if ($LASTEXITCODE -ne 0) { Stop-With 1 "$Folder cannot be protected" }
    if ($PSCommandPath -ne $Self) { Copy-Item -Force -Path $PSCommandPath -Destination $Self }
    $run = New-ScheduledTaskAction -Execute 'powershell.exe' -Argument "-NoProfile -NonInteractive -ExecutionPolicy Bypass -File `"$Self`""
    $when = New-ScheduledTaskTrigger -Once -At (Get-Date) -RepetitionInterval (New-TimeSpan -Minutes 1) -RepetitionDuration (New-TimeSpan -Days 3650)
    $how = New-ScheduledTaskSettingsSet -ExecutionTimeLimit (New-TimeSpan -Seconds 50) -MultipleInstances IgnoreNew -StartWhenAvailable -AllowStartIfOnBatteries
    Register-ScheduledTask -Force -TaskName $Task -Action $run -Trigger $when -Settings $how -User 'S-1-5-18' -RunLevel Highest | Out-Null
}

function Remove-Task {
    if (-not (Test-Administrator)) { Stop-With 1 'remove has to be run by an administrator' }
    Unregister-ScheduledTask -TaskName $Task -Confirm:$false -ErrorAction SilentlyContinue
    Remove-Item -Force -Path $Self -ErrorAction SilentlyContinue
}

try {
    switch ($Action) {
        'push' { Send-Lines }
        'print' { Get-Lines }
        'install' { Install-Task }
        'remove' { Remove-Task }
    }
} catch {
    Stop-With 1 $_.Exception.Message
}
